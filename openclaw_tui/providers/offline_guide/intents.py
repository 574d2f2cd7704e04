"""What a plain request asks for. Rules in order, the most specific first; English, and Chinese for the same intents.

A request may ask for several things in a row ("find where X is defined and show it, then run the tests"): it is taken
apart into clauses outside of quotes, and becomes a list of intents. A clause that says nothing by itself ("show it")
belongs to the one before. When one clause is not understood, the request is read as a whole.
"""

import re
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.providers.offline_guide.notes import asked_of_notes
from openclaw_tui.providers.offline_guide.quoting import (
    PATH,
    fenced_text,
    first_path,
    is_quoted_at,
    quoted_texts,
    split_clauses,
    without_fences,
    without_quotes,
)

IntentKind: TypeAlias = Literal[
    "explain", "definition", "search", "find", "list", "read", "run_tests", "run", "write", "edit", "notes", "help"
]


class Intent(msgspec.Struct, frozen=True):
    """`target` is a path, pattern, symbol or command; `extra` and `other` hold what else the kind needs.

    `show` asks for the text of what was found as well; `first` and `last` are line numbers, 0 for none.
    """

    kind: IntentKind
    target: str = ""
    extra: str = ""
    other: str = ""
    first: int = 0
    last: int = 0
    show: bool = False


_LINES = re.compile(
    r"\blines?\s+(\d+)\s*(?:-|–|to|through|\.\.)\s*(\d+)|第\s*(\d+)\s*(?:行)?\s*(?:到|至|-)\s*第?\s*(\d+)\s*行", re.I
)
_FIRST_LINES = re.compile(r"\b(?:first|top)\s+(\d+)\s+lines\b|前\s*(\d+)\s*行", re.I)
_ONE_LINE = re.compile(r"\bline\s+(\d+)\b|第\s*(\d+)\s*行", re.I)
_PROGRAMS = (
    r"(?:[\w.]*/\S+|npm|npx|yarn|pnpm|bun|deno|make|just|cargo|go|python\d?|py\.test|pytest|tox|nox|mvn|gradle|ctest|mix"
    r"|bundle|rake|uv|poetry|hatch|pdm|bash|sh|git|node|dotnet|docker|ls|cat|echo|pip\d?|ruff|mypy|env|cd)(?![\w.])"
)
_TESTS = re.compile(
    rf"\b(?:run|execute|start)\s+(?!{_PROGRAMS})(?:[\w'’]+\s+){{0,4}}?(?:tests?|test\s+suite|specs?)\b"
    r"|(?:运行|执行|跑)[^\n]{0,6}(?:测试|单元测试)",
    re.I,
)
_EXPLAIN = re.compile(
    r"\bwhat(?:'s|’s| is| does| kind of)\b.{0,40}"
    r"\b(project|repo(?:sitory)?|codebase|code|program|package|library|about)\b"
    r"|\b(explain|describe|summari[sz]e|overview of|introduce|tell me about)\b.{0,30}"
    r"\b(project|repo(?:sitory)?|codebase|code base|package|library|it)\b"
    r"|\bhow (?:do|can|should|would) (?:i|we|you|one)\b.{0,20}\b(run|build|install|test|start)\b"
    r"|\bhow to (?:run|test)\b"
    r"|(这个|该|本|此)?(项目|仓库|工程|代码库).{0,10}(是什么|做什么|干什么|介绍|说明)"
    r"|(介绍|解释|说明|概述).{0,10}(项目|仓库|工程|代码库)|(怎么|如何|怎样).{0,8}(运行|构建|安装|测试)",
    re.I,
)
_NAME = (
    r"[`\"'“「]?(?:(?:def|class|function|fn|func)\s+)?(?!(?:the|a|an|me|its|this|that|all)\b)"
    r"([A-Za-z_$][\w$]*(?:(?:\.|::|#)[\w$]+)*)(?:\(\))?[`\"'”」]?"
)
_KIND = r"(?:(?:function|method|class|type|variable|constant|struct|symbol|interface|macro|module)\s+)"
_DEFINED = r"(?:defined|declared|implemented|located|created)"
_DEFINITION = re.compile(
    rf"\bwhere\b.{{0,12}}?(?:\bis|\bare|'s)?\s*(?:the\s+)?{_KIND}?{_NAME}\s+{_KIND}?(?:is\s+|are\s+|gets?\s+)?{_DEFINED}\b"
    rf"|\b(?:where|which file|what file)\b.{{0,24}}?\b(?:defines?|declares?|implements?)\s+(?:the\s+|a\s+)?"
    rf"{_KIND}?{_NAME}"
    rf"|\bwhere\s+(?:do(?:es)?|did)\s+\w+\s+(?:define|declare|implement)\s+(?:the\s+)?{_KIND}?{_NAME}"
    rf"|\bdefinition\s+(?:of|for)\s+(?:the\s+)?{_KIND}?{_NAME}"
    rf"|\b(?:find|locate|go\s+to|jump\s+to|show(?:\s+me)?)\s+(?:the\s+)?{_KIND}{_NAME}"
    rf"|\b(?:find|locate|show(?:\s+me)?)\s+(?:the\s+)?{_NAME}(?:'s)?\s+definition\b"
    rf"|{_NAME}\s*(?:这个)?(?:函数|类|方法|变量|常量)?\s*(?:是)?在(?:哪里|哪儿|哪个文件|什么地方)(?:里|中)?\s*(?:被)?\s*(?:定义|声明|实现)"
    rf"|(?:查找|找到|找出|找|显示)\s*(?:函数|类|方法)?\s*{_NAME}\s*的?(?:函数|类)?(?:的)?定义",
    re.I,
)
_SHOW_IT = re.compile(
    r"^(?:please\s+|also\s+)?(?:show|read|open|print|display|view)(?:\s+me)?"
    r"(?:\s+(?:it|them|that|(?:the|its)\s+(?:file|definition|function|class|method|code|source|output|result|content)s?))?[.!?]*$"
    r"|^(?:显示|展示|打开|读|读取|查看)(?:一下)?(?:它|出来|内容|代码|结果)?[。！？]*$",
    re.I,
)
_EDIT = re.compile(
    r"\b(?:replace|change|edit|rename)\b\s*[`\"'“](.+?)[`\"'”]\s*(?:with|to|by|into|->)\s*[`\"'“](.*?)[`\"'”]"
    r"|(?:把|将)\s*[`\"'“「](.+?)[`\"'”」]\s*(?:替换成|替换为|改成|改为|换成)\s*[`\"'“「](.*?)[`\"'”」]",
    re.I | re.DOTALL,
)
_WRITE = re.compile(
    r"\b(?:write|create|make|save)\b(?!\s+(?:a\s+)?(?:test|function|class)s?\b)|写|创建|新建|保存", re.I
)
_CONTENT = re.compile(
    r"\b(?:with(?:\s+the)?(?:\s+(?:text|content|contents|line))?|containing|saying)\b[:\s]+(.+)$|内容(?:是|为)?[:：\s]*(.+)$",
    re.I | re.DOTALL,
)
_RUN = re.compile(
    r"^\s*(?:please\s+|(?:can|could|would) you\s+(?:please\s+)?|now\s+)?"
    r"(?:run|execute|exec)\b(?:\s+the\s+command)?[:\s]+(.+)$"
    r"|^\s*(?:请)?(?:运行|执行)(?:一下)?(?:命令)?[:：\s]*(.+)$",
    re.I | re.DOTALL,
)
_NO_COMMAND = re.compile(
    r"(?:it|this|that|the|them|an?|all|everything|something|these|those|its|my|our|some|any)\b", re.I
)
_READ = re.compile(
    r"\b(read|show|open|print|display|cat|view|explain|what does)\b|(读取|读|显示|查看|打开|看看|看一下)", re.I
)
_SEARCH = re.compile(
    r"\b(?:search|grep|look)\b(?:\s+(?:the\s+|this\s+)?(?:code|codebase|project|files|repo|repository))?\s*(?:for)?\s+(.+)$"
    r"|\b(?:find|list|show)\b.{0,24}\b(?:uses?|usages?|references?|occurrences?|calls?|mentions?)\s+(?:of|to)\s+(.+)$"
    r"|\bwhere\b\s+(?:is|are)\s+(.+?)\s+(?:used|called|mentioned|referenced)\b"
    r"|(?:搜索|查找|检索|搜)(?:一下)?\s*(.+)$",
    re.I,
)
_FIND = re.compile(
    r"\b(?:find|locate|which|list)\b.{0,20}\bfiles?\b(.*)$|\b(?:find|locate)\b\s+(.+)$|(?:找|查找|列出)[^\n]{0,8}文件(.*)$",
    re.I,
)
_LIST = re.compile(
    r"\b(list|ls)\b|\bwhat\b.{0,12}\bfiles\b|\bwhich files\b|\bshow\b.{0,12}\b(files|folders?|director(?:y|ies))\b"
    r"|(列出|有哪些|有什么).{0,8}(文件|目录)?",
    re.I,
)
_FILE_WORDS = re.compile(r"\b(named|called|with|that|all|the|files?|containing|matching|for|a|every|any)\b", re.I)


def understand(text: str) -> list[Intent]:
    """The intents of a request in the order they are carried out; `help` alone when nothing is understood."""
    request = text.strip()
    clauses = split_clauses(request)
    if len(clauses) > 1:
        intents = _of_clauses(clauses)
        if all(intent.kind != "help" for intent in intents):
            return intents
    return [_one(request)]


def _of_clauses(clauses: list[str]) -> list[Intent]:
    intents: list[Intent] = []
    for clause in clauses:
        if intents and _SHOW_IT.search(clause.strip()):
            intents[-1] = replace(intents[-1], show=True)
            continue
        intent = _one(clause)
        if not intents or intents[-1] != intent:
            intents.append(intent)
    return intents


def _one(request: str) -> Intent:
    """One clause. Words inside quotes never decide what is asked, only what it is asked about."""
    bare = without_quotes(request)
    if intent := _edit(request) or _write(request, bare) or _command(request):
        return intent
    if subject := asked_of_notes(bare):
        return Intent("notes", subject)
    match = _DEFINITION.search(request)
    if match and not is_quoted_at(request, match.start()):
        symbol = next(group for group in match.groups() if group)
        return Intent("definition", symbol, show=bool(re.match(r"\s*(show|print|display|显示)", request, re.I)))
    if _EXPLAIN.search(bare) and not first_path(bare):
        return Intent("explain")
    if _TESTS.search(bare):
        return Intent("run_tests", first_path(request))
    return _lookup(request)


def _command(request: str) -> Intent | None:
    fence = fenced_text(request)
    match = _RUN.search(without_fences(request))
    if match and fence is not None:
        return Intent("run", fence)
    if not match or _TESTS.search(without_quotes(request)):
        return None
    said = (match[1] or match[2]).strip()
    quoted = re.fullmatch(r"[`\"“](.+)[`\"”][.。!?]*", said, re.DOTALL)
    if quoted:
        return Intent("run", quoted[1].strip())
    command = re.sub(r"[\s,]+(?:please|for me|now)\s*[.!?]*$", "", said, flags=re.I)
    return Intent("run", command) if command and not _NO_COMMAND.match(command) else None


def _lookup(request: str) -> Intent:
    """Reading, searching, finding and listing."""
    path = first_path(request)
    searched = _SEARCH.search(request)
    if _READ.search(request) and path and not path.endswith("/") and not searched:
        first, last = _range(request)
        return Intent("read", path, first=first, last=last)
    if searched:
        return Intent("search", _subject(next(g for g in searched.groups() if g)), extra=_folder(request))
    found = _FIND.search(request)
    if _LIST.search(request) and not (found and (found[1] or found[2] or found[3] or "").strip(" .?!在里中的")):
        return Intent("list", path or _folder(request) or ".")
    if found:
        return _find(next((g for g in found.groups() if g), ""), request)
    if path:
        first, last = _range(request)
        return Intent("list" if path.endswith("/") else "read", path, first=first, last=last)
    return Intent("help", request[:80])


def _edit(request: str) -> Intent | None:
    match = _EDIT.search(request)
    path = first_path(_EDIT.sub(" ", request)) if match else ""
    if not match or not path:
        return None
    old, new = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
    return Intent("edit", path, extra=old, other=new)


def _write(request: str, bare: str) -> Intent | None:
    if not _WRITE.search(bare):
        return None
    outside = without_fences(request)
    path = first_path(outside)
    if not path or path.endswith("/"):
        return None
    fence = fenced_text(request)
    if fence is not None:
        return Intent("write", path, extra=fence + "\n")
    quoted = [text for text in quoted_texts(outside) if text != path]
    said = _CONTENT.search(outside)
    content = quoted[0] if quoted else (said[1] or said[2]).strip() if said else None
    return Intent("write", path, extra=f"{content}\n") if content is not None else None


def _find(rest: str, request: str) -> Intent:
    rest = rest if rest.strip(" .,?!") else request
    quoted = quoted_texts(rest)
    if quoted:
        return Intent("find", quoted[0])
    glob = re.search(r"(?<!\w)([\w./-]*[*?][\w.*?/{}-]*)", rest)
    if glob:
        return Intent("find", glob[1])
    named = PATH.search(rest)
    ending = re.search(r"(?<![\w*])\.(\w{1,8})\b", rest)
    if ending:
        return Intent("find", f"*.{ending[1]}")
    if named:
        return Intent("find", named[1])
    subject = _subject(rest)
    words = re.findall(r"[A-Za-z_$][\w$.-]*", _FILE_WORDS.sub(" ", subject))
    return Intent("search", subject) if len(words) != 1 else Intent("find", f"*{words[0]}*")


def _folder(text: str) -> str:
    found = re.search(
        r"\b(?:in|inside|under|within)\s+(?:the\s+)?[`\"']?([\w./-]+)[`\"']?(?:\s+(?:folder|directory|dir))?\s*[?.!]?$",
        text,
        re.I,
    )
    word = found[1].rstrip(".") if found else ""
    places = ("project", "repo", "repository", "codebase", "code", "this", "here", "it", "folder", "directory", "files")
    return "" if word.lower() in places else word


def _range(text: str) -> tuple[int, int]:
    if found := _LINES.search(text):
        numbers = [int(group) for group in found.groups() if group]
        return max(1, min(numbers)), max(1, *numbers)
    if head := _FIRST_LINES.search(text):
        return 1, max(1, int(head[1] or head[2]))
    if one := _ONE_LINE.search(text):
        line = max(1, int(one[1] or one[2]))
        return line, line
    return 0, 0


def _subject(text: str) -> str:
    """What is searched for: the quoted words if there are any, else the phrase without its trimmings."""
    if quoted := quoted_texts(text):
        return quoted[0]
    place = (
        r"\b(?:in|inside|under|within)\s+(?:the\s+|this\s+)?(?:whole\s+)?[\w./-]+(?:\s+(?:folder|directory))?\s*[?.!]*$"
    )
    plain = re.sub(place, "", text.strip(), flags=re.I)
    plain = re.sub(r"^\s*(?:all|any|every|the|for|word|text|string)\s+|\s+(?:please|for me)\s*$", "", plain, flags=re.I)
    return re.sub(r"[?!。？！]+\s*$|(?:的)?(?:代码|地方|文件)$", "", plain).strip(" .,") or text.strip()
