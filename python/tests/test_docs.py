"""The Python examples of the documents."""

import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["README.md", "docs/Integration.md"])
def test_examples(name, tmp_path, monkeypatch):
    text = (ROOT / name).read_text()
    monkeypatch.chdir(tmp_path)
    for file, content in re.findall(
        r"^```\w+ file=(\S+)\n(.*?)^```$", text, re.M | re.S
    ):
        pathlib.Path(file).write_text(content)
    fences = re.findall(r"^```pycon\n(.*?)^```$", text, re.M | re.S)
    assert fences
    examples = doctest.DocTestParser().get_doctest("\n".join(fences), {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples)
    assert runner.summarize().failed == 0
