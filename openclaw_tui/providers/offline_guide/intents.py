"""What a plain request asks for. Rules in order, the most specific first; English, and Chinese for the same intents.

A request may ask for several things in a row ("find where X is defined and show it"); it becomes a list of intents.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

IntentKind: TypeAlias = Literal[
    "explain", "definition", "show_found", "search", "find", "list", "read", "run_tests", "run", "write", "edit", "help"
]


@dataclass(frozen=True, slots=True)
class Intent:
    """`target` is a path, pattern, symbol or command; `extra` and `other` hold what else the kind needs."""

    kind: IntentKind
    target: str = ""
    extra: str = ""
    other: str = ""
    first: int = 0
    last: int = 0


_QUOTED = re.compile(r"[`\"'“”‘’「]([^`\"'“”‘’」]+)[`\"'“”‘’」]")
_FENCE = re.compile(r"```[\w+-]*\n(.*?)\n?```", re.DOTALL)
_PATH = re.compile(
    r"(?<![\w./-])((?:~|\.{1,2})?/?(?:[\w.@+-]+/)*[\w@+-]*\.[A-Za-z0-9]{1,8}|(?:[\w.@+-]+/)+[\w.@+-]*)(?![\w/-])"
)
_LINES = re.compile(
    r"\blines?\s+(\d+)\s*(?:-|–|to|through|\.\.)\s*(\d+)|第\s*(\d+)\s*(?:行)?\s*(?:到|至|-)\s*第?\s*(\d+)\s*行", re.I
)
_ONE_LINE = re.compile(r"\bline\s+(\d+)\b|第\s*(\d+)\s*行", re.I)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$.]*")

_TESTS = re.compile(
    r"\b(run|execute|start)\b.{0,30}\b(tests?|test suite|specs?)\b|(运行|执行|跑).{0,6}(测试|单元测试)", re.I
)
_EXPLAIN = re.compile(
    r"\bwhat(?:'s| is| does)\b.{0,40}\b(project|repo(?:sitory)?|codebase|program|package|library)\b"
    r"|\b(explain|describe|summari[sz]e|overview of|introduce)\b.{0,30}\b(project|repo(?:sitory)?|codebase|code base|it)\b"
    r"|\bhow (?:do|can|should) (?:i|we|you)\b.{0,20}\b(run|build|install|test|start)\b"
    r"|(这个|该|本)?(项目|仓库|工程|代码库).{0,10}(是什么|做什么|干什么|介绍|说明)|(介绍|解释|说明|概述).{0,10}(项目|仓库|工程|代码库)"
    r"|(怎么|如何).{0,8}(运行|构建|安装|测试)",
    re.I,
)
_DEFINITION = re.compile(
    r"\bwhere\b.{0,12}?(?:\bis|\bare|'s)?\s*(?:the\s+)?(?:function|method|class|type|variable|constant|struct|symbol)?\s*"
    r"[`\"']?([A-Za-z_$][\w$.]*)(?:\(\))?[`\"']?\s+(?:is\s+|are\s+|get\s+|gets\s+)?(?:defined|declared|implemented)\b"
    r"|\b(?:find|show|locate|go to|jump to)\b.{0,20}?\bdefinition of\s+(?:the\s+)?(?:function|method|class|type)?\s*"
    r"[`\"']?([A-Za-z_$][\w$.]*)"
    r"|[`\"'“「]?([A-Za-z_$][\w$.]*)[`\"'”」]?\s*(?:函数|类|方法|变量)?\s*(?:是)?在(?:哪里|哪儿|哪个文件|什么地方)(?:里|中)?\s*(?:被)?\s*(?:定义|声明|实现)"
    r"|(?:查找|找到|找出|找)\s*[`\"'“「]?([A-Za-z_$][\w$.]*)[`\"'”」]?\s*的?(?:函数|类)?(?:的)?定义",
    re.I,
)
_SHOW_IT = re.compile(
    r"\b(and|then)\s+(show|read|open|print|display)\b(\s+(it|them|that|the\s+\w+))?|(并|然后|再).{0,3}(显示|展示|打开|读)",
    re.I,
)
_WRITE = re.compile(
    r"\b(write|create|make|save|add)\b.{0,30}\b(file|called|named|to|as)\b|(写|创建|新建|保存).{0,12}(文件|到|为)", re.I
)
_EDIT_QUOTED = re.compile(
    r"\b(?:replace|change|edit|rename)\b\s*[`\"'“](.+?)[`\"'”]\s*(?:with|to|by|into|->)\s*[`\"'“](.*?)[`\"'”]"
    r"|(?:把|将)\s*[`\"'“「](.+?)[`\"'”」]\s*(?:替换成|替换为|改成|改为|换成)\s*[`\"'“「](.*?)[`\"'”」]",
    re.I | re.DOTALL,
)
_RUN = re.compile(
    r"^\s*(?:please\s+)?(?:run|execute|exec)\b[:\s]+(.+)$|^\s*(?:请)?(?:运行|执行)(?:命令)?[:：\s]*(.+)$",
    re.I | re.DOTALL,
)
_READ = re.compile(r"\b(read|show|open|print|display|cat|view)\b|(读取|读|显示|查看|打开|看看)", re.I)
_SEARCH = re.compile(
    r"\b(?:search|grep|look)\b(?:\s+(?:the\s+)?(?:code|project|files|repo))?\s*(?:for)?\s+(.+)$"
    r"|\b(?:find|list)\b.{0,24}\b(?:uses?|usages?|references?|occurrences?|calls?)\s+(?:of|to)\s+(.+)$"
    r"|(?:搜索|查找|检索|搜)\s*(.+)$",
    re.I,
)
_FIND = re.compile(
    r"\b(?:find|locate|which)\b.{0,20}\bfiles?\b(.*)$|\bfind\b\s+(.+)$|(?:找|查找|列出).{0,8}文件(.*)$", re.I
)
_LIST = re.compile(
    r"\b(list|ls)\b|\bwhat\b.{0,12}\bfiles\b|\bwhich files\b|(列出|有哪些|有什么).{0,8}(文件|目录)?", re.I
)
_TAIL = re.compile(
    r"\s+(?:in|inside|under|within)\s+(?:the\s+)?(?:(?:whole\s+)?(?:project|repo(?:sitory)?|codebase|code))?\s*$", re.I
)


def understand(text: str) -> list[Intent]:
    """The intents of a request in the order they are carried out; `help` alone when nothing is understood."""
    request = text.strip()
    command = _RUN.search(_FENCE.sub("", request)) if not _TESTS.search(request) else None
    if edit := _edit(request):
        return [edit]
    if write := _write(request):
        return [write]
    if command and _is_command_line(command[1] or command[2]):
        return [Intent("run", _unquoted((command[1] or command[2]).strip()))]
    found = _definition(request)
    if found:
        return found
    if _EXPLAIN.search(request):
        return [Intent("explain")]
    if _TESTS.search(request):
        return [Intent("run_tests")]
    return [_lookup(request)]


def _lookup(request: str) -> Intent:
    """Reading, searching, finding and listing."""
    path = _path(request)
    if _READ.search(request) and path and not path.endswith("/"):
        first, last = _range(request)
        return Intent("read", path, first=first, last=last)
    if found := _SEARCH.search(request):
        return Intent("search", _subject(next(g for g in found.groups() if g)), extra=_folder(request))
    if _LIST.search(request) and not _FIND.search(request):
        return Intent("list", path or _folder(request) or ".")
    if found := _FIND.search(request):
        return _find(next((g for g in found.groups() if g), ""), request)
    if path:
        first, last = _range(request)
        return Intent("read", path, first=first, last=last)
    return Intent("help", request[:80])


def _definition(request: str) -> list[Intent]:
    match = _DEFINITION.search(request)
    if not match:
        return []
    symbol = next(group for group in match.groups() if group).rstrip(".")
    intents = [Intent("definition", symbol)]
    return [*intents, Intent("show_found")] if _SHOW_IT.search(request) else intents


def _edit(request: str) -> Intent | None:
    match = _EDIT_QUOTED.search(request)
    path = _path(_EDIT_QUOTED.sub(" ", request)) if match else ""
    if not match or not path:
        return None
    old, new = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
    return Intent("edit", path, extra=old, other=new)


def _write(request: str) -> Intent | None:
    if not _WRITE.search(request):
        return None
    fence = _FENCE.search(request)
    outside = _FENCE.sub(" ", request)
    path = _path(outside)
    if not path or path.endswith("/"):
        return None
    if fence:
        return Intent("write", path, extra=fence[1] + "\n")
    quoted = [text for text in _QUOTED.findall(outside) if text != path]
    said = re.search(
        r"\b(?:with(?: the)?(?: text| content| contents)?|containing|saying)\b[:\s]+(.+)$|内容(?:是|为)?[:：\s]*(.+)$",
        outside,
        re.I | re.DOTALL,
    )
    content = quoted[0] if quoted else (said[1] or said[2]).strip() if said else None
    return Intent("write", path, extra=f"{content}\n") if content is not None else None


def _find(rest: str, request: str) -> Intent:
    quoted = _QUOTED.search(rest)
    if quoted:
        return Intent("find", quoted[1])
    glob = re.search(r"(?<!\w)([\w./-]*[*?][\w.*?/{}-]*)", rest)
    if glob:
        return Intent("find", glob[1])
    ending = re.search(r"\.(\w{1,8})\b", rest)
    named = _path(rest)
    if named:
        return Intent("find", named)
    if ending:
        return Intent("find", f"*.{ending[1]}")
    subject = _subject(rest or request)
    words = _IDENTIFIER.findall(
        re.sub(r"\b(named|called|with|that|all|the|files?|containing|matching|for|a)\b", " ", subject, flags=re.I)
    )
    return Intent("search", subject) if len(words) != 1 else Intent("find", f"*{words[0]}*")


def _path(text: str) -> str:
    quoted = [q for q in _QUOTED.findall(text) if _PATH.fullmatch(q)]
    if quoted:
        return quoted[0]
    found = _PATH.search(text)
    return found[1] if found else ""


def _folder(text: str) -> str:
    found = re.search(
        r"\b(?:in|inside|under|within)\s+(?:the\s+)?[`\"']?([\w./-]+)[`\"']?(?:\s+(?:folder|directory|dir))?\s*[?.!]?$",
        text,
        re.I,
    )
    word = found[1] if found else ""
    return "" if word.lower() in ("project", "repo", "repository", "codebase", "code", "this", "here", "it") else word


def _range(text: str) -> tuple[int, int]:
    if found := _LINES.search(text):
        first, last = (int(g) for g in found.groups() if g)
        return min(first, last), max(first, last)
    if one := _ONE_LINE.search(text):
        line = int(one[1] or one[2])
        return line, line
    return 0, 0


def _subject(text: str) -> str:
    """What is searched for: the quoted words if there are any, else the phrase without its trimmings."""
    if quoted := _QUOTED.search(text):
        return quoted[1]
    plain = re.sub(
        r"\b(?:in|inside|under|within)\s+(?:the\s+)?[\w./-]+(?:\s+(?:folder|directory))?\s*[?.!]*$",
        "",
        _TAIL.sub("", text),
        flags=re.I,
    )
    plain = re.sub(r"^\s*(?:all|any|every|the|for)\s+|\s+(?:please|for me)\s*$|[?!。？！]+\s*$", "", plain, flags=re.I)
    return re.sub(r"(?:的)?(?:代码|地方|文件)$", "", plain).strip(" .,") or text.strip()


def _is_command_line(text: str) -> bool:
    """`run make -j2` is a command; `run it for me please` is not."""
    first = _unquoted(text.strip()).split()[0].lower() if text.strip() else ""
    return first not in ("it", "this", "that", "the", "them", "a", "an", "all", "everything", "something")


def _unquoted(text: str) -> str:
    found = re.fullmatch(r"[`\"'“]+(.*?)[`\"'”]+[.。]?", text.strip(), re.DOTALL)
    return found[1].strip() if found else text.strip()
