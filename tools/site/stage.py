"""Lays out the pages of the site for Sphinx: python3 stage.py SOURCE STAGE

The documents are written for a reader of the repository, so the site has the layout of the repository: a relative link
leads to the same thing in both. What is added here is what the repository does not have as a page:

    index                README.md, and the contents, which are the links of docs/README.md in their order
    include/*.h          the headers, as pages of their sections (site_pages.py)
    api/                 a page for each module of the package that defines a public name
    FILE, FOLDER         every other file or folder that a document links to, as a page with its text or its list

Nothing is listed here by hand: a new document, header, module, name or link is on the site with the next build.
"""
import ast
import importlib
import importlib.util
import inspect
import os
import re
import shutil
import sys
from pathlib import Path

import conf  # noqa: F401  (after this import the package can be imported)

LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
CODE = re.compile(r"^(?:```.*?^```|    [^\n]*$)|``.+?``|`[^`\n]+`", re.DOTALL | re.MULTILINE)
DATA = {".svg", ".png", ".csv", ".json", ".tex", ".txt"}
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".slurm": "sh", ".sql": "sql", ".cff": "yaml"}


class Stage:
    """The folder that Sphinx reads. Names are paths from the root of the repository."""

    def __init__(self, source, stage):
        self.source, self.stage = source, stage
        self.linked = set()  # files and folders that are no documents

    def write(self, name, text):
        path = self.stage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self, name):
        path = self.stage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.source / name, path)

    def target(self, folder, link):
        """Where a relative link leads on the site, and the page that it needs for that."""
        name = os.path.normpath(os.path.join(folder, link))
        path = self.source / name
        if "://" in link or link.startswith("mailto:") or not path.exists():
            return link  # Sphinx complains if it leads nowhere
        if name == "README.md":
            return os.path.relpath("index.md", folder or ".")
        if path.suffix == ".md":
            return link
        if path.suffix in DATA:
            self.copy(name)
            return link
        self.linked.add(name)
        return link.rstrip("/") + ("/index.md" if path.is_dir() else ".md")

    def translate(self, name):
        """A document with its links as they are on the site. No line moves, so that complaints name the right one."""
        text = (self.source / name).read_text(encoding="utf-8")
        folder = os.path.dirname(name)
        parts, end = [], 0
        for code in [*CODE.finditer(text), None]:
            prose = text[end : code.start() if code else len(text)]
            parts.append(LINK.sub(lambda match: match[1] + self.target(folder, match[2]) + match[3], prose))
            parts.append(code[0] if code else "")
            end = code.end() if code else end
        return "".join(parts)

    def listing(self, name):
        """A folder as a page: its files, each with what its first line says."""
        lines = ["---", "orphan: true", "---", f"# `{name}/`", ""]
        for path in sorted(path for path in (self.source / name).iterdir() if path.is_file()):
            self.linked.add(f"{name}/{path.name}")
            summary = first_sentence(path)
            lines.append(f"- [`{path.name}`]({path.name}.md)" + (f": {escape(summary)}" if summary else ""))
        self.write(f"{name}/index.md", "\n".join(lines) + "\n")

    def text(self, name):
        """A file as a page with its text."""
        self.copy(name)
        language = LANGUAGES.get(Path(name).suffix, "none")
        self.write(f"{name}.md", f"---\norphan: true\n---\n# `{name}`\n\n```{{literalinclude}} /{name}\n:language: {language}\n```\n")


def escape(text):
    """A text of a source file, for Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|$])", r"\\\1", text)


def first_sentence(path):
    """What a source file says about itself in its first comment or docstring; "" if that is nothing."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        return ""
    lines = [line for line in lines[:8] if not line.startswith("#!")]
    if not re.match(r'(""")|/\*|# ', lines[0]):
        return ""
    words = re.sub(r'^("""|/\*|#)\s*', "", lines[0])
    return re.sub(r'\s*("""|\*/)\s*$', "", words)


def contents(source):
    """[(caption, [page])] of the index docs/README.md, each page where it is first linked."""
    found, seen, caption = {"Begin": ["docs/README"]}, {"docs/README"}, "Begin"
    for line in (source / "docs/README.md").read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            caption = line.removeprefix("## ")
        for _, link, _ in LINK.findall(line):
            name = os.path.normpath(os.path.join("docs", link))
            if name.endswith(".md") and "://" not in link and name not in seen:
                seen.add(name)
                found.setdefault(caption if name.startswith("docs/") else "Project", []).append(name.removesuffix(".md"))
    return found


def toctree(pages, caption):
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join("/" + page for page in pages) + "\n```\n"


def modules():
    """{module: [public names, functions first, else in the order of their definition]}; a public module has None."""
    zilch = importlib.import_module("zilch")
    found = {}
    for name in zilch.__all__:
        if not inspect.ismodule(getattr(zilch, name)):
            found.setdefault(getattr(zilch, name).__module__, []).append(name)
    for names in found.values():
        names.sort(key=lambda name: (inspect.isclass(getattr(zilch, name)), inspect.getsourcelines(getattr(zilch, name))[1]))
    folder = Path(zilch.__file__).parent
    public = [path.stem for path in folder.glob("[!_]*.py")] + [path.parent.name for path in folder.glob("[!_]*/__init__.py")]
    for stem in sorted(public):
        found[f"zilch.{stem}"] = None
    return found


def rst_title(text, mark="="):
    return f"{text}\n{mark * len(text)}\n\n"


def summary_of(module):
    """The first paragraph of a module's docstring; the module is not imported, which may need packages that are not here."""
    source = importlib.util.find_spec(module).origin
    return (ast.get_docstring(ast.parse(Path(source).read_text(encoding="utf-8"))) or "").split("\n\n")[0]


def write_api(stage):
    """A page for each module, and one that leads to them."""
    index, pages = rst_title("Python, every name"), []
    index += "The docstrings of the package. :doc:`/docs/reference/python` is the overview, :doc:`/docs/how-to/python` has examples.\n\n"
    for module, names in modules().items():
        page = module.rpartition(".")[2].strip("_")
        pages.append(page)
        index += rst_title(f"`{module}`" if names is None else ", ".join(f"`{name}`" for name in names), "-")
        if names is None:
            stage.write(f"api/{page}.rst", rst_title(module) + f".. automodule:: {module}\n   :member-order: bysource\n")
            index += f"{summary_of(module)} See :doc:`{page}`.\n\n"
            continue
        text = rst_title(", ".join(names)) + summary_of(module) + "\n\n.. currentmodule:: zilch\n\n"
        for name in names:
            kind = "class" if inspect.isclass(getattr(importlib.import_module("zilch"), name)) else "function"
            text += f".. auto{kind}:: zilch.{name}\n\n"
        stage.write(f"api/{page}.rst", text)
        index += f"{summary_of(module)}\n\n.. currentmodule:: zilch\n\n.. autosummary::\n   :nosignatures:\n\n"
        index += "".join(f"   {name}\n" for name in names) + "\n"
    index += ".. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages)
    stage.write("api/index.rst", index)


def main():
    source, folder = (Path(argument).resolve() for argument in sys.argv[1:])
    stage = Stage(source, folder)
    headers = sorted(path.relative_to(source).as_posix() for path in source.glob("include/*.h"))
    for path in [*source.glob("*.md"), *source.glob("docs/**/*.md")]:
        name = path.relative_to(source).as_posix()
        if name != "README.md":
            stage.write(name, stage.translate(name))
    for header in headers:
        stage.copy(header)
        stage.write(f"{header}.md", f"# {Path(header).name}\n\n```{{header}} /{header}\n```\n")
    write_api(stage)
    found = contents(source)
    found["Reference"] = found.get("Reference", []) + ["api/index", *headers]
    trees = "\n".join(toctree(pages, caption) for caption, pages in found.items())
    stage.write("index.md", stage.translate("README.md") + "\n" + trees)
    for name in sorted(name for name in stage.linked if (source / name).is_dir()):
        stage.listing(name)
    for name in sorted(stage.linked - set(headers)):
        if (source / name).is_file():
            stage.text(name)


if __name__ == "__main__":
    main()
