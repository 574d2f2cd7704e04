"""The user's words: letter by letter, first and latest for certain, rules wherever they stand."""

from openclaw_tui.compaction.summary_text import RULES_HEADING, build_appendix, finish_summary, texts_under
from openclaw_tui.compaction.user_words import USER_HEADING, kept_user_texts, standing_rules
from openclaw_tui.messages import Message
from tests.compaction.talks import says, user


def test_first_and_latest_request_are_kept_whatever_lies_between() -> None:
    covered: list[Message] = [user("first: port the parser"), *(user("x" * 1_900 + str(n)) for n in range(9))]
    covered.append(user("latest: now the tests\n- with two points\n- and umlauts äöü"))
    texts = kept_user_texts(covered)
    assert texts[0] == "first: port the parser"
    assert texts[-1] == "latest: now the tests\n- with two points\n- and umlauts äöü"
    assert 2 < len(texts) < 11


def test_requests_survive_any_number_of_compactions() -> None:
    summary = ""
    for number in range(12):
        covered = [user(f"request {number}: {'y' * 500}")]
        summary = finish_summary("body", build_appendix(covered, summary))
    texts = texts_under(summary, USER_HEADING)
    assert texts[0].startswith("request 0:")
    assert texts[-1].startswith("request 11:")


def test_long_request_says_where_the_whole_can_be_read() -> None:
    (text,) = kept_user_texts([user("a" * 5_000, "e7")])
    assert 'recall("e7")' in text
    assert "3000 characters left out" in text


def test_rules_are_found_in_the_middle_of_long_requests() -> None:
    rules = [
        "Never commit to main.",
        "From now on always run ruff before pytest.",
        "Please do not touch schema.sql, whatever happens.",
        "永远不要提交密钥。",
    ]
    covered = [user("z " * 3_000 + f"\n{rule} Thanks.") for rule in rules]
    found = standing_rules(covered)
    assert list(found) == rules


def test_rules_are_carried_from_summary_to_summary() -> None:
    first = finish_summary("body", build_appendix([user("x " * 2_000 + "\nNever push.\n" + "y " * 2_000)]))
    assert texts_under(first, RULES_HEADING) == ("Never push.",)
    second = finish_summary("body", build_appendix([user("next"), says("Always fine, said the agent.")], first))
    assert texts_under(second, RULES_HEADING) == ("Never push.",)


def test_words_of_agent_and_tools_are_never_taken_for_rules_of_the_user() -> None:
    assert standing_rules([says("You must always deploy. Never ask.")]) == ()
