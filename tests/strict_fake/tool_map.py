"""Turns an intent (read / exec / search / edit / write) into a call of whichever tool the request advertises.

The request's own JSON schema decides the argument names and types, so any agent can be driven without knowing it.
Where it
has no such tool, the intent is carried out by its shell.
"""

import os
import re
import shlex
from typing import Any

from tests.strict_fake.refusal import Json
from tests.strict_fake.words import words

_TOOLS = {
    "read": words("read readfile view viewfile fileread openfile cat readtextfile"),
    "exec": words("""bash shell execcommand exec shellcommand runshellcommand runcommand executecommand execute terminal
        runterminalcmd runinterminal localshell run command"""),
    "search": words("grep searchfilecontent grepsearch searchfiles search ripgrep rg greptool searchtext"),
    "edit": words("""edit strreplacefile editfile strreplace replace searchreplace strreplaceeditor fileedit
        strreplacebasededittool"""),
    "write": words("write writefile createfile filewrite"),
}
_ARGUMENTS = {
    "path": words("filepath path absolutepath file filename targetfile abspath"),
    "command": words("command cmd script commands commandline input"),
    "pattern": words("pattern query regex search q text"),
    "dir": words("path dir directory dirpath searchpath includepath"),
    "old": words("oldstring oldtext oldstr old search oldcontent"),
    "new": words("newstring newtext newstr new replace newcontent replacement"),
    "content": words("content contents text filetext"),
}
_EDIT_BY_SHELL = (
    "import sys;p,a,b=sys.argv[1:];s=open(p).read();assert a in s,'not found';"
    "open(p,'w').write(s.replace(a,b,1));print('edited',p)"
)


class ToolMap:
    """`tools`: {name, schema, kind} each (kind: function | local_shell)."""

    def __init__(self, tools: list[Json], repo: str) -> None:
        self.repo = repo
        self._by_intent = {
            intent: tool for intent, names in _TOOLS.items() if (tool := _best(tools, names)) is not None
        }

    @property
    def usable(self) -> bool:
        """An agent's request: it can run or read something."""
        return "exec" in self._by_intent or "read" in self._by_intent

    def call(self, intent: Json) -> tuple[str, Json, str]:
        """Tool name, arguments, kind. `KeyError` when nothing the request offers can do it."""
        kind = intent["intent"]
        tool = self._by_intent.get(kind)
        if tool is None and kind in ("edit", "read", "search"):
            return self.call({"intent": "exec", "command": self._by_shell(intent)})
        if tool is None:
            raise KeyError(f"no tool for {kind}")
        if tool.get("kind") == "local_shell":
            action = {"type": "exec", "command": ["bash", "-lc", intent["command"]], "env": {}}
            return tool["name"], action, "local_shell"
        return tool["name"], _Arguments(tool.get("schema") or {}, self._absolute).fill(intent), "function"

    def _by_shell(self, intent: Json) -> str:
        path = self._absolute(intent.get("path", "."))
        words = {
            "edit": lambda: ["python3", "-c", _EDIT_BY_SHELL, path, intent["old"], intent["new"]],
            "read": lambda: ["cat", path],
            "search": lambda: ["grep", "-rn", intent["pattern"], path],
        }[intent["intent"]]()
        return shlex.join(words)

    def _absolute(self, path: str) -> str:
        return path if os.path.isabs(path) else os.path.join(self.repo, path)


class _Arguments:
    """Fills one tool's arguments by the words its schema uses."""

    def __init__(self, schema: Json, absolute: Any) -> None:
        self.schema, self.absolute = schema, absolute
        self.properties: Json = schema.get("properties") or {}
        self.arguments: Json = {}

    def fill(self, intent: Json) -> Json:
        kind = intent["intent"]
        if kind in ("read", "edit", "write"):
            self._put("path", self.absolute(intent["path"]))
        if kind == "exec":
            self._put("command", intent["command"].replace("tools/emit.py", self.absolute("tools/emit.py")))
        elif kind == "search":
            self._search(intent)
        elif kind == "edit":
            self._edit(intent)
        elif kind == "write":
            self._put("content", intent["content"])
        for name in self.schema.get("required") or []:
            if name not in self.arguments:
                schema = resolve(self.properties.get(name, {}), self.schema)
                self.arguments[name] = default_for(schema, self.schema, name)
        return self.arguments

    def _put(self, role: str, value: Any) -> bool:
        for alias in _ARGUMENTS[role]:
            for name in self.properties:
                if _plain(name) == alias and name not in self.arguments:
                    is_list = _type(resolve(self.properties[name], self.schema)) == "array"
                    self.arguments[name] = ["bash", "-lc", value] if role == "command" and is_list else value
                    return True
        return False

    def _search(self, intent: Json) -> None:
        self._put("pattern", intent["pattern"])
        self._put("dir", self.absolute(intent.get("path", ".")))
        for name, schema in self.properties.items():
            if _plain(name) == "outputmode" and "content" in (resolve(schema, self.schema).get("enum") or []):
                self.arguments[name] = "content"

    def _edit(self, intent: Json) -> None:
        if self._put("old", intent["old"]) and self._put("new", intent["new"]):
            return
        words = _ARGUMENTS["old"] + _ARGUMENTS["new"]
        self.arguments = {name: value for name, value in self.arguments.items() if _plain(name) not in words}
        for name, declared in self.properties.items():
            schema = resolve(declared, self.schema)
            is_list = _type(schema) == "array"
            item = resolve(schema.get("items", {}), self.schema) if is_list else schema
            if _type(item) == "object" and item.get("properties"):
                pair = self._pair(item, intent)
                if pair:
                    self.arguments[name] = [pair] if is_list else pair
                    return
            elif _plain(name) in ("content", "patch", "diff", "blocks"):
                self.arguments[name] = f"<<<<<<< SEARCH\n{intent['old']}\n=======\n{intent['new']}\n>>>>>>> REPLACE"
                return

    def _pair(self, item: Json, intent: Json) -> Json:
        pair: Json = {}
        for name, schema in item["properties"].items():
            if _plain(name) in _ARGUMENTS["old"]:
                pair[name] = intent["old"]
            elif _plain(name) in _ARGUMENTS["new"]:
                pair[name] = intent["new"]
            elif name in (item.get("required") or []):
                pair[name] = default_for(resolve(schema, self.schema), self.schema, name)
        return pair


def resolve(schema: Any, root: Json, depth: int = 0) -> Json:
    """The schema behind references and the first of alternatives."""
    if not isinstance(schema, dict) or depth > 8:
        return {}
    if "$ref" in schema:
        node: Any = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node.get(part, {}) if isinstance(node, dict) else {}
        return resolve(node, root, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            choices = [resolve(choice, root, depth + 1) for choice in schema[key]]
            choices = [choice for choice in choices if str(choice.get("type")).lower() != "null"]
            if choices:
                return choices[0]
    return schema


def default_for(schema: Json, root: Json, name: str = "") -> Any:
    """A value that the schema takes."""
    if schema.get("default") is not None:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = _type(schema)
    if kind in ("integer", "number"):
        return max(1, int(schema.get("minimum", 1)))
    if kind == "boolean":
        return False
    if kind == "array":
        return []
    if kind == "object":
        required = schema.get("required") or []
        properties = (schema.get("properties") or {}).items()
        return {key: default_for(resolve(value, root), root, key) for key, value in properties if key in required}
    return "bench step"


def _best(tools: list[Json], names: tuple[str, ...]) -> Json | None:
    ranked = [
        (rank, tool)
        for tool in tools
        for rank, alias in enumerate(names)
        if _plain(tool["name"]) == alias or tool["name"].lower().endswith("__" + alias)
    ]
    return min(ranked, key=lambda pair: pair[0])[1] if ranked else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _type(schema: Json) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((choice for choice in kind if choice != "null"), "string")
    return str(kind or ("object" if "properties" in schema else "string")).lower()
