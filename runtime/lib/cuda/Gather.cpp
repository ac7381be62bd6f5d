//===- Gather.cpp - Many values from the device in one copy -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Gather.h"

#include <algorithm>
#include <cstring>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

/// Block b copies entry b of a table of {source, destination, bytes}, in words
/// where the source is aligned (destinations are).
static const char kGatherCode[] = R"(.version 6.0
.target sm_50
.address_size 64

.visible .entry dynbatch_gather(.param .u64 table)
{
  .reg .pred %p;
  .reg .u16 %byte;
  .reg .u32 %block, %thread, %threads, %word;
  .reg .u64 %entry, %source, %destination, %bytes;
  .reg .u64 %offset, %step, %end, %rest, %from, %to;

  ld.param.u64 %entry, [table];
  mov.u32 %block, %ctaid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  mad.wide.u32 %entry, %block, 24, %entry;
  ld.global.u64 %source, [%entry];
  ld.global.u64 %destination, [%entry+8];
  ld.global.u64 %bytes, [%entry+16];

  and.b64 %rest, %source, 3;
  setp.eq.u64 %p, %rest, 0;
  and.b64 %end, %bytes, -4;
  selp.u64 %end, %end, 0, %p;
  mul.wide.u32 %offset, %thread, 4;
  mul.wide.u32 %step, %threads, 4;
words:
  setp.ge.u64 %p, %offset, %end;
  @%p bra behind_words;
  add.u64 %from, %source, %offset;
  add.u64 %to, %destination, %offset;
  ld.global.u32 %word, [%from];
  st.global.u32 [%to], %word;
  add.u64 %offset, %offset, %step;
  bra words;
behind_words:
  cvt.u64.u32 %offset, %thread;
  add.u64 %offset, %offset, %end;
  cvt.u64.u32 %step, %threads;
bytes:
  setp.ge.u64 %p, %offset, %bytes;
  @%p bra behind_bytes;
  add.u64 %from, %source, %offset;
  add.u64 %to, %destination, %offset;
  ld.global.u8 %byte, [%from];
  st.global.u8 [%to], %byte;
  add.u64 %offset, %offset, %step;
  bra bytes;
behind_bytes:
  ret;
}
)";

static const dynbatch_gpu_image kGatherImage = {
    DYNBATCH_GPU_IMAGE_VERSION, DYNBATCH_GPU_IMAGE_PTX, kGatherCode,
    sizeof(kGatherCode)};

Status Gather::prepare(TableUpload &tables) {
  // Values begin 16-byte aligned: most are small.
  auto rounded = [](size_t bytes) { return (bytes + 15) & ~size_t(15); };
  gathered = std::count_if(
      requests.begin(), requests.end(),
      [](const Request &request) { return request.bytes <= kDirectBytes; });
  if (gathered <= kFew)
    gathered = 0;
  packedBytes = 0;
  size_t directBytes = 0;
  for (Request &request : requests) {
    size_t &bytes = isDirect(request) ? directBytes : packedBytes;
    request.offset = bytes;
    bytes += rounded(request.bytes);
  }
  // Even where there is nothing to copy, places get an address.
  Status status = host.reserve(stream.device(),
                               std::max<size_t>(packedBytes + directBytes, 1));
  if (status.ok())
    status = packed.reserve(packedBytes);
  if (!status.ok() || !gathered)
    return status;
  Result<size_t> place = tables.add(gathered * sizeof(Entry));
  if (!place.ok())
    return place.takeError();
  table = *place;
  char *next = tables.data(table);
  for (const Request &request : requests) {
    if (isDirect(request))
      continue;
    Entry entry = {static_cast<uint64_t>(request.address),
                   packed.address() + request.offset, request.bytes};
    std::memcpy(next, &entry, sizeof(entry));
    next += sizeof(entry);
  }
  return status;
}

Status Gather::start(const TableUpload &tables, Launcher &launcher) {
  Status status = Status::success();
  if (gathered) {
    CUdeviceptr address = tables.address(table);
    void *arguments[] = {&address};
    status = launcher.launch(
        kGatherImage, "dynbatch_gather",
        {{static_cast<int64_t>(gathered), 1, 1}, {128, 1, 1}, 0}, arguments,
        "");
    if (status.ok() && packedBytes)
      status = stream.download(host.data(), packed.address(), packedBytes);
    fetched += packedBytes;
  }
  for (Request &request : requests) {
    if (!status.ok())
      break;
    if (!isDirect(request))
      continue;
    request.offset += packedBytes;
    if (request.bytes)
      status = stream.download(host.data() + request.offset,
                               static_cast<CUdeviceptr>(request.address),
                               request.bytes);
    fetched += request.bytes;
  }
  return status;
}

void Gather::deliver() {
  for (const Request &request : requests) {
    const char *value = host.data() + request.offset;
    std::memcpy(request.place, &value, sizeof(value));
  }
  requests.clear();
}
