//===- CudaTransfersTest.cpp - Copies to and from a GPU ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaModules.h"

#include "cuda/DeviceBuffer.h"
#include "cuda/Gather.h"
#include "cuda/TableUpload.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;
using namespace dynbatch::rt::cuda;

namespace {

class CudaTransfersTest : public CudaTest {
protected:
  CudaTransfersTest()
      : device(Device::open(0).take()), scope(*device),
        stream(Stream::create(*device).take()),
        tables(TableUpload::create(*stream).take()) {}

  int64_t count(const std::string &name) {
    std::vector<std::string> calls = cuda.takeCalls();
    return std::count(calls.begin(), calls.end(), name);
  }
  /// Sends `text`; what the device has then.
  std::string sent(const std::string &text) {
    size_t place = tables->add(text.size()).take();
    std::memcpy(tables->data(place), text.data(), text.size());
    EXPECT_TRUE(tables->send().ok());
    std::string result(text.size(), 0);
    EXPECT_TRUE(
        stream->download(result.data(), tables->address(place), text.size())
            .ok());
    EXPECT_TRUE(stream->synchronize().ok());
    return result;
  }

  std::unique_ptr<Device> device;
  Device::Scope scope;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<TableUpload> tables;
};

} // namespace

TEST_F(CudaTransfersTest, TablesHaveTwoSides) {
  EXPECT_EQ(sent("first"), "first");
  EXPECT_EQ(sent(std::string(10000, 'x')), std::string(10000, 'x'));
  cuda.takeCalls();
  char results[3] = {};
  for (int i = 0; i < 3; ++i) {
    size_t place = tables->add(1).take();
    *tables->data(place) = static_cast<char>('a' + i);
    // Only the third one needs memory that the device may still read.
    EXPECT_EQ(count("cuEventSynchronize"), i == 2);
    ASSERT_TRUE(tables->send().ok());
    ASSERT_TRUE(stream->download(&results[i], tables->address(place), 1).ok());
  }
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(std::string(results, 3), "abc");
  // Afterwards nothing needs to be waited for.
  EXPECT_EQ(sent("more"), "more");
  EXPECT_EQ(count("cuEventSynchronize"), 0);
}

TEST_F(CudaTransfersTest, BuffersGrowWhileTheyAreUsed) {
  DeviceBuffer buffer(*stream, "a test");
  char one = 1, result = 0;
  ASSERT_TRUE(buffer.reserve(100).ok());
  CUdeviceptr small = buffer.address();
  ASSERT_TRUE(stream->upload(small, &one, 1).ok());
  ASSERT_TRUE(stream->download(&result, small, 1).ok());
  ASSERT_TRUE(buffer.reserve(100000).ok());
  EXPECT_NE(buffer.address(), small);
  EXPECT_EQ(result, 0);
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(result, 1);
  // When there is not enough for both it waits and gives the old one back.
  cuda.setMemory(150000);
  ASSERT_TRUE(stream->upload(buffer.address(), &one, 1).ok());
  ASSERT_TRUE(buffer.reserve(140000).ok());
  EXPECT_TRUE(stream->idle());
  EXPECT_EQ(buffer.reserve(150001).message(),
            "no memory for a test: cuMemAlloc of 150001 bytes: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory), 150000 of 150000 bytes "
            "of device memory are free; a smaller minibatch needs less");
}

TEST_F(CudaTransfersTest, GathersValuesOfAllSizes) {
  constexpr size_t kBytes = 1 << 20;
  std::vector<char> pattern(kBytes);
  std::iota(pattern.begin(), pattern.end(), 0);
  DeviceBuffer source(*stream, "a test");
  ASSERT_TRUE(source.reserve(kBytes).ok());
  ASSERT_TRUE(stream->upload(source.address(), pattern.data(), kBytes).ok());
  Launcher launcher(*stream);
  Gather gather(*stream);

  std::vector<size_t> sizes = {0, 1, 3, 4, 7, 100, 4096, 65535, 65536, 65537};
  for (size_t number : {1, 4, 5, 10}) {
    const char *values[10] = {};
    size_t large = 0;
    for (size_t i = 0; i < number; ++i) {
      gather.add(static_cast<int64_t>(source.address() + 1001 * i), sizes[i],
                 &values[i]);
      large += sizes[i] > 65536;
    }
    cuda.takeCalls();
    ASSERT_TRUE(gather.prepare(*tables).ok());
    ASSERT_TRUE(tables->send().ok());
    ASSERT_TRUE(gather.start(*tables, launcher).ok());
    ASSERT_TRUE(stream->synchronize().ok());
    gather.deliver();
    EXPECT_TRUE(gather.empty());
    for (size_t i = 0; i < number; ++i) {
      ASSERT_NE(values[i], nullptr);
      EXPECT_EQ(std::string(values[i], sizes[i]),
                std::string(pattern.data() + 1001 * i, sizes[i]));
    }
    // The empty one needs no copy.
    EXPECT_EQ(count("cuMemcpyDtoHAsync"),
              int64_t(number <= 4 ? number - 1 : 1 + large));
  }
}
