"""The conversation on disk: a JSONL file whose entries form a DAG."""
