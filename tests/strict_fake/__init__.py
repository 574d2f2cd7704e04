"""A strict fake of four model APIs on loopback, for tests. The README is its contract."""

from tests.strict_fake.exchange import Record
from tests.strict_fake.fake import StrictFake
from tests.strict_fake.faults import Fault
from tests.strict_fake.options import Options
from tests.strict_fake.scenarios import Scenario
from tests.strict_fake.script import Call, Intent, Reply

__all__ = ["Call", "Fault", "Intent", "Options", "Record", "Reply", "Scenario", "StrictFake"]
