"""What Sphinx does not know by itself: headers as pages, and names in the text that lead to what they name.

`{header}` shows a C header as what it is, comments and declarations in their order. A line `/* ---- Title ---- */` begins a section, a
comment in the first column is text, what follows it up to the next is its declarations. Each name that these declare can be
found by the search and linked to.

A name in code font leads to its place wherever it stands: `zilch_model_fit()` to the header, `zilch.minimize` and `Optimizer.ask` to the
docstring, `docs/tutorial.md` to the page.

In docstrings a name may end with an underscore, as scikit-learn's attributes do, without being a link of reStructuredText.
"""
import re

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.util.nodes import make_refnode

BANNER = re.compile(r"/\* -{4} (.*?) -* ?\*/$")
SKIPPED = re.compile(r"#ifndef \w+_H$|#define \w+_H$|#include|#ifdef __cplusplus|extern \"C\"|#endif$|}$|$")
NAMES = [
    re.compile(r"^ZILCH_(?:API|CHECKED)[^;(]*?\b(zilch_\w+)\(", re.MULTILINE),  # a function
    re.compile(r"^(?:typedef .*|})[ *]\b(zilch_\w+);$", re.MULTILINE),  # a type
    re.compile(r"^typedef [^;(]*\(\*(zilch_\w+)\)", re.MULTILINE),  # the type of a function
    re.compile(r"^#define (ZILCH_\w+)", re.MULTILINE),
    re.compile(r"\b(ZILCH_\w+)(?= = |,\n|\n} )"),  # a value of an enum
]
ENUM = re.compile(r"^ZILCH_ENUM\((\w+), \w+\);", re.MULTILINE)
LISTED = re.compile(r"^    X\((\w+),", re.MULTILINE)
WORD = re.compile(r"`([^`]+)`|\b((?:zilch|ZILCH)_\w+(?:\(\))?|docs/[\w/-]+\.md)")
WORDS = {}  # of attributes, before napoleon has seen them
TRAILING = re.compile(r"(?<![\\`\w])([A-Za-z]\w*)_(?![\w`])")
TERM = re.compile(r" {1,3}(\S+(?: \S+)*) {2,}(\S.*)")


def names_of(code):
    """What a declaration declares."""
    found = [name for pattern in NAMES for name in pattern.findall(code)]
    for kind in ENUM.findall(code):
        found += [f"zilch_{kind}", f"zilch_{kind}_name", f"zilch_{kind}_parse"]
        found += [f"ZILCH_{value}" for value in LISTED.findall(code)]
    return list(dict.fromkeys(found))


def blocks(text):
    """[(comment, code)] of a header, and (title, None) where a section begins."""
    found, comment, code, is_comment = [], [], [], False

    def close():
        kept = [line for line in code if not (SKIPPED.match(line) and not line.startswith("} "))] if not depth(code) else code
        if comment or kept:
            found.append(("\n".join(comment), "\n".join(code).strip("\n") if kept else ""))
        comment.clear()
        code.clear()

    for line in text.split("\n"):
        if is_comment:
            comment.append(line.removeprefix(" *").removesuffix("*/").rstrip())
            is_comment = "*/" not in line
        elif BANNER.match(line):
            close()
            found.append((BANNER.match(line)[1], None))
        elif line.startswith("/*"):
            close()
            comment.append(line.removeprefix("/*").split("*/")[0].rstrip())
            is_comment = "*/" not in line
        else:
            if not line and not depth(code) and code:
                close()
            else:
                code.append(line)
    close()
    return found


def depth(code):
    """How many braces are open."""
    text = "\n".join(code)
    return text.count("{") - text.count("}")


def paragraphs(comment):
    """A comment as [(indent, [line])]: parts with one indent, after which more or less begins another."""
    found = []
    for line in comment.split("\n"):
        text = line[1:] if line.startswith(" ") else line
        if not text.strip():
            found.append((None, []))
            continue
        indent = len(text) - len(text.lstrip())
        kind = "code" if indent >= 4 else "term" if indent else "text"
        if found and found[-1][0] in ("term", "code") and kind != "text" and found[-1][1]:
            found[-1][1].append(text)
        elif found and found[-1][0] == kind:
            found[-1][1].append(text)
        else:
            found.append((kind, [text]))
    return [part for part in found if part[1]]


def inline(text):
    """A text with names and what is quoted in code font."""
    found, end = [], 0
    for match in WORD.finditer(text):
        found += [nodes.Text(text[end : match.start()]), nodes.literal("", match[1] or match[2])]
        end = match.end()
    return [*found, nodes.Text(text[end:])]


def definitions(lines):
    """`  term   text` with its further lines, as a list; None if they are something else."""
    items, column = [], 0
    for line in lines:
        match = TERM.match(line)
        if match and (not items or match.start(2) == column or len(line) - len(line.lstrip()) < column):
            column = match.start(2)
            items.append((match[1], [match[2]]))
        elif items and len(line) - len(line.lstrip()) >= column:
            items[-1][1].append(line.strip())
        else:
            return None
    terms = [nodes.definition_list_item("", nodes.term("", "", nodes.literal("", term)),
                                        nodes.definition("", nodes.paragraph("", "", *inline(" ".join(text))))) for term, text in items]
    return nodes.definition_list("", *terms)


def prose(comment):
    """A comment as nodes."""
    found = []
    for kind, lines in paragraphs(comment):
        listed = definitions(lines) if kind == "term" else None
        if listed:
            found.append(listed)
        elif kind == "text":
            found.append(nodes.paragraph("", "", *inline(" ".join(lines))))
        else:
            text = "\n".join(lines)
            least = min(len(line) - len(line.lstrip()) for line in lines)
            text = "\n".join(line[least:] for line in lines)
            found.append(nodes.literal_block(text, text, language="c" if kind == "code" and ";" in text else "none"))
    return found


class Header(Directive):
    """A C header as a page."""

    required_arguments = 1

    def run(self):
        environment = self.state.document.settings.env
        relative, path = environment.relfn2path(self.arguments[0])
        environment.note_dependency(relative)
        with open(path, encoding="utf-8") as file:
            found = blocks(file.read())
        result, place, seen = [], None, set()
        for comment, code in found:
            if code is None:
                place = nodes.section("", nodes.title("", comment), ids=[nodes.make_id(comment)])
                result.append(place)
                continue
            block = nodes.container(classes=["declaration"])
            names = [name for name in names_of(code) if name not in seen] if code else []
            seen.update(names)
            block["ids"] += names
            for name in names:
                environment.get_domain("std").note_object("cname", name, name, location=block)
            block += prose(comment)
            if code:
                block += nodes.literal_block(code, code, language="c")
            if place is None:
                result.append(block)
            else:
                place += block
        return result


def find(environment, text):
    """(page, part, what it is) that a text in code font names, or None."""
    name = re.sub(r"\(.*\)$", "", text, flags=re.DOTALL)
    if re.fullmatch(r"docs/[\w/-]+\.md", name) and name.removesuffix(".md") in environment.all_docs:
        return name.removesuffix(".md"), "", name
    declared = environment.get_domain("std").objects.get(("cname", name))
    if declared:
        return *declared, name
    is_python = name.startswith("zilch.") or re.match(r"[A-Z]\w*[a-z]", name) or "(" in text
    objects = environment.get_domain("py").objects
    for full in ([name] if name.startswith("zilch.") else [f"zilch.{name}"]) if is_python else []:
        if full in objects:
            return objects[full].docname, objects[full].node_id, full
    return None


def link_names(app, doctree, docname):
    """Make references of the names in code font."""
    for literal in list(doctree.findall(nodes.literal)):
        parents = []
        node = literal.parent
        while node is not None:
            parents.append(node)
            node = node.parent
        if any(isinstance(parent, (nodes.reference, nodes.title, nodes.term)) for parent in parents):
            continue
        found = find(app.env, literal.astext())
        if found and found[0] != docname or found and found[1]:
            literal.replace_self(make_refnode(app.builder, docname, found[0], found[1], literal.deepcopy(), found[2]))


def keep_words(_app, what, name, _object, _options, lines):
    """Before napoleon, which would read "All evaluations: those of ..." of an attribute as its type."""
    if what in ("attribute", "property", "data"):
        WORDS[name] = list(lines)


def escape_names(_app, _what, name, _object, _options, lines):
    """Names that end with an underscore, outside code and examples."""
    lines[:] = WORDS.pop(name, lines)
    is_example = False
    for index, line in enumerate(lines):
        is_example = line.strip().startswith(">>>") or (is_example and line.strip() != "")
        if not is_example:
            parts = re.split(r"(`[^`]*`+)", line)
            lines[index] = "".join(part if part.startswith("`") else TRAILING.sub(r"\1\\_", part) for part in parts)


def setup(app):
    app.add_object_type("cname", "cname", objname="C declaration")
    app.add_directive("header", Header)
    app.connect("doctree-resolved", link_names)
    app.connect("autodoc-process-docstring", keep_words, priority=100)
    app.connect("autodoc-process-docstring", escape_names, priority=900)  # after napoleon
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
