"""A plot of the batch schedule."""

import typing


def plot_schedule(trace: dict, axes: typing.Any) -> typing.Any:
    """One row a kernel, one bar a batch, with the number of its tasks."""
    batches = [event for event in trace["traceEvents"] if event["cat"] == "kernel"]
    if not batches:
        raise ValueError("the trace has no batches: bind(trace=True), then run")
    if axes is None:
        import matplotlib.pyplot  # an extra

        axes = matplotlib.pyplot.subplots()[1]
    kernels = list(dict.fromkeys(event["name"] for event in batches))
    for row, kernel in enumerate(kernels):
        own = [event for event in batches if event["name"] == kernel]
        bars = axes.broken_barh(
            [(event["ts"], event["dur"]) for event in own], (row - 0.4, 0.8)
        )
        bars.set_label(kernel)
        for event in own:
            axes.annotate(
                str(event["args"]["tasks"]),
                (event["ts"] + event["dur"] / 2, row),
                ha="center",
                va="center",
                fontsize="x-small",
            )
    axes.set_yticks(range(len(kernels)), kernels)
    axes.invert_yaxis()
    axes.set_xlabel("microseconds")
    return axes
