#include "cli/examples.h"

/* tests/help_examples.sh runs each example in a store that has what they name. */
static const struct command_text texts[] = {
	{"set",
	 "Store a value under a key, or replace the value that is there; the old one goes to the "
	 "archive.",
	 {"kota set editor vim --category preferences",
	  "kota set release 'due on Friday' --tags work"}},
	{"get",
	 "Print the value of the entry that fits best. Misspellings are forgiven; the exit status "
	 "is 1 when nothing fits.",
	 {"kota get editor", "kota get relese version"}},
	{"update",
	 "Add to the value of an entry: members are merged into an object, items go to the end of "
	 "a list, text to the end of text; any other value is replaced.",
	 {"kota update release '{\"due\": \"Monday\"}'", "kota update todo 'write the changelog'"}},
	{"list",
	 "List the refs of the entries in use, all of them or those of a category.",
	 {"kota list", "kota list preferences"}},
	{"archived",
	 "List the records of the archive as category:key@time; kota restore takes such a ref.",
	 {"kota archived", "kota archived --json"}},
	{"conflicts",
	 "Show entries that were changed on two machines, or in two branches, at once: the text in "
	 "use and the one that lost. Any change to the entry decides; --keep keeps the text in "
	 "use.",
	 {"kota conflicts", "kota conflicts --json"}},
	{"delete",
	 "Delete an entry. A record of it stays in the archive, so that kota restore can bring it "
	 "back.",
	 {"kota delete todo", "kota delete connections:Anna"}},
	{"clear-state",
	 "Move every entry of the category state to the archive.",
	 {"kota clear-state", "kota clear-state --json"}},
	{"notes",
	 "Save notes of a conversation as state:conversation_notes; the notes before are archived.",
	 {"kota notes 'Agreed on the release plan' --next-steps 'tag 2.1'",
	  "git log -1 --format=%s | kota notes -"}},
	{"search",
	 "List the entries and notes that have words of the query, best first. Without a query, "
	 "list everything.",
	 {"kota search release plan", "kota search --tags work --scope active --scope archived"}},
	{"analyze",
	 "Tell whether a message is worth storing, or asks for something that may be stored.",
	 {"kota analyze 'I prefer tabs over spaces'",
	  "kota analyze --intent recall 'which editor do I use?'"}},
	{"log",
	 "List the changes, newest first: who made each and when. For one entry, show its values, "
	 "too.",
	 {"kota log --limit 5", "kota log editor"}},
	{"diff",
	 "Show what the last change did to an entry or to all, or what differs since a change or "
	 "between two.",
	 {"kota diff", "kota diff editor"}},
	{"blame",
	 "Show who set the value of each entry, or of each field of one entry, and when.",
	 {"kota blame", "kota blame release"}},
	{"show",
	 "Show one change: who made it and when, and what each entry was and is. kota log lists "
	 "the names of changes.",
	 {"kota show $(kota log --limit 1 | awk 'NR == 2 {print $1}')",
	  "kota --json show $(kota log --limit 1 | awk 'NR == 2 {print $1}')"}},
	{"mv",
	 "Rename an entry, or move it to another category. Its value and times stay.",
	 {"kota mv editor main-editor", "kota mv todo shortcuts:todo"}},
	{"prime",
	 "Print what a session of an agent begins with: pinned entries, preferences, state, what "
	 "is "
	 "used most, the notes of the last conversation.",
	 {"kota prime", "kota prime --budget 2000"}},
	{"revert",
	 "Restore an entry to what it was before its last change, or undo one whole change.",
	 {"kota revert editor",
	  "kota revert --change $(kota log --limit 1 | awk 'NR == 2 {print $1}')"}},
	{"undo",
	 "Undo the last change, or the one that is named. Undoing an undo makes the change again.",
	 {"kota undo", "kota undo $(kota log --limit 1 | awk 'NR == 2 {print $1}')"}},
	{"compact",
	 "Shrink the files that only grow: the log of uses, the cold archive, and the "
	 "objects "
	 "of the history. Nothing is lost.",
	 {"kota compact", "kota compact --json"}},
	{"export",
	 "Write everything that is stored to standard output, as a backup or for another program; "
	 "kota "
	 "import reads it again. The store stays as it is.",
	 {"kota export > backup.json", "kota export --format markdown --category state"}},
	{"import",
	 "Read an export, another store or the memory of another program. First it only shows what "
	 "it would do; with --yes it does that, as one change. Entries that exist here stay.",
	 {"kota import memories.json", "kota import memories.json --yes"}},
	{"migrate",
	 "The same as kota import SOURCE --yes.",
	 {"kota migrate memories.json", "kota migrate memories.json --dry-run"}},
	{"maintain",
	 "Look after the store: archive what has faded, merge entries that say the same, make "
	 "notes of those used most, link related ones. Each step is a change that can be undone; "
	 "protected entries are left alone.",
	 {"kota maintain --dry-run", "kota maintain decay"}},
	{"stats",
	 "Show how much is stored, and how close that is to the limits.",
	 {"kota stats", "kota stats --json"}},
	{"restore",
	 "Bring an entry back from the archive, by its key or by a ref that kota archived lists.",
	 {"kota restore shell", "kota restore $(kota archived | head -n 1)"}},
	{"gc",
	 "Move entries whose score has fallen below the threshold to the archive. It only shows "
	 "them unless --no-dry-run is given.",
	 {"kota gc", "kota gc --no-dry-run --limit 10"}},
	{"relate",
	 "Link two entries, or remove a link with --remove.",
	 {"kota relate state:release connections:Anna related",
	  "kota relate state:release state:todo causes --strength 0.5"}},
	{"promote",
	 "Make Markdown notes of entries that are used often. It only shows them unless "
	 "--no-dry-run is given.",
	 {"kota promote --auto-detect", "kota promote editor --force --no-dry-run"}},
	{"health",
	 "Show a score for the store and what may need attention: entries that are stale, hardly "
	 "used, fading, or nearly the same. Nothing changes.",
	 {"kota health", "kota health stale --days-unused 60"}},
	{"reinforce",
	 "Record that entries were used, so that they fade more slowly.",
	 {"kota reinforce preferences:editor",
	  "kota reinforce state:release state:todo --context-tags planning"}},
	{"optimize",
	 "Merge entries that say the same, or archive stale ones. It only shows them unless "
	 "--no-dry-run is given.",
	 {"kota optimize", "kota optimize stale_cleanup --no-dry-run"}},
	{"consolidate",
	 "Merge duplicates and archive what no longer matters, as at the end of a session. It only "
	 "shows this unless --no-dry-run is given.",
	 {"kota consolidate", "kota consolidate deep --no-dry-run"}},
	{"merge",
	 "Make one entry of several that say the same, or link them. It only shows the result "
	 "unless --mode apply is given.",
	 {"kota merge state:todo state:chores", "kota merge --auto-detect --mode apply"}},
	{"setup", NULL, {"kota setup claude --hooks", "kota setup codex --check || echo no"}},
	{"serve",
	 NULL,
	 {"kota serve < requests.jsonl", "kota serve --tools core < requests.jsonl"}},
	{"init", NULL, {"kota init", "kota --dir /tmp/try init"}},
	{"where", NULL, {"kota where", "kota where | head -n 1"}},
	{"edit", NULL, {"kota edit preferences", "kota edit --as entry release"}},
	{"doctor", NULL, {"kota doctor", "kota doctor --fix --dry-run"}},
	{"trust", NULL, {"kota trust --show", "kota trust --list"}},
	{"report",
	 NULL,
	 {"kota report > report.html", "kota --dir data/kota_memory report > team.html"}},
	{"purge", NULL, {"kota purge --yes todo", "kota purge --yes connections:Anna"}},
	{"hook", NULL, {"kota hook session-start", "echo '{}' | kota hook session-start"}},
	{"sync",
	 NULL,
	 {"git init -q --bare hub.git && kota sync --remote hub.git", "kota sync --status"}},
	{"resolve", NULL, {"kota resolve || echo no", "kota resolve state.json || echo no"}},
	{"merge-driver",
	 NULL,
	 {"kota merge-driver base.json ours.json theirs.json state.json",
	  "kota merge-driver base.md ours.md theirs.md notes/deploy.md"}},
	{"complete", NULL, {"kota complete se", "kota complete get rel"}},
	{"help", NULL, {"kota help", "kota help set"}},
	{"version", NULL, {"kota version", "kota --version"}},
};

const struct command_text *command_text_find(const char *command)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (strcmp(texts[i].command, command) == 0)
			return &texts[i];
	}
	return NULL;
}

/* Names of parameters are those of their rows. */
static const struct {
	const char *command;
	const char *param;
	const char *text;
} option_texts[] = {
	{"set", "category", "the category; without it the key and the value decide"},
	{"set", "tags", "a tag, for kota search --tags"},
	{"set", "importance", "how much it matters; what matters more stays longer"},
	{"set", "confidence", "how sure it is"},
	{"set", "meta", "an object that is kept with the value"},
	{"set", "pinned", "never let it expire or be evicted"},
	{"set", "entities", "a person or thing that it is about"},
	{"set", "supersedes", "an outdated entry to archive, as category:key"},
	{"set", "allow_secret", "store it even if it holds a secret"},
	{"notes", "tone", "the mood of the conversation"},
	{"notes", "additionalContext", "what else the next session should know"},
	{"notes", "metadata", "an object that is kept with the notes"},
	{"notes", "capturedAt", "when the conversation was, as an ISO 8601 time with offset"},
	{"search", "query", "the words to look for; without them everything is listed"},
	{"search", "refs", "show exactly these entries"},
	{"search", "tags", "only entries with one of these tags"},
	{"search", "category", "only this category"},
	{"search", "scope", "what to look through"},
	{"search", "limit", "at most this many results in all"},
	{"search", "page", "which page to show"},
	{"search", "page_size", "results per page"},
	{"search", "preview",
	 "characters shown of a value, 300 if not given, with --refs all; 0 shows all"},
	{"search", "window_days", "only what was used in the last N days"},
	{"search", "min_score", "only entries with at least this decay score"},
	{"search", "min_confidence", "only entries that are at least this sure"},
	{"search", "stm_weight", "how much entries count against notes"},
	{"search", "ltm_weight", "how much notes count against entries"},
	{"search", "relations", "also show the links of each result"},
	{"search", "track_access", "count the results as looked up"},
	{"search", "use_embeddings", "must stay off; kota has no embeddings"},
	{"analyze", "intent",
	 "what to judge: whether to save it, or whether it asks for something"},
	{"conflicts", "key", "the key, or category:key; without it all are shown"},
	{"conflicts", "keep", "keep the text in use"},
	{"restore", "key", "the key, or a ref that kota archived lists"},
	{"restore", "replace", "replace the entry that has the key now"},
	{"gc", "dry_run", "only show what would be archived"},
	{"gc", "archive_instead", "must stay on: nothing is ever destroyed"},
	{"gc", "limit", "archive at most this many"},
	{"promote", "ref", "the entry; without it, use --auto-detect"},
	{"promote", "auto_detect", "choose the entries that are used most"},
	{"promote", "target", "where the notes go"},
	{"promote", "force", "even if the entry is not used enough, or is promoted already"},
	{"promote", "dry_run", "only show what would be promoted"},
	{"health", "check", "what to check; without it a summary is shown"},
	{"health", "days_unused", "for stale: unused for at least this many days"},
	{"health", "max_access_count", "for low_access: looked up at most this often"},
	{"health", "min_age_days", "for low_access: at least this many days old"},
	{"health", "limit", "at most this many results"},
	{"health", "threshold", "for duplicates and clusters: how similar two entries must be"},
	{"health", "sample_size", "compare at most this many entries"},
	{"health", "min_confidence", "only entries that are less sure than this"},
	{"reinforce", "refs", "the entries that were used"},
	{"reinforce", "context_tags", "a tag that says what they were used for"},
	{"reinforce", "boost", "also make them stronger, so that they fade more slowly"},
	{"relate", "from", "the entry that the link starts at, as category:key"},
	{"relate", "to", "the entry that it leads to, as category:key"},
	{"relate", "type", "what the link says"},
	{"relate", "strength", "how strong the link is"},
	{"relate", "metadata", "an object that is kept with the link"},
	{"relate", "remove", "remove the link"},
	{"merge", "refs", "the entries, two or more"},
	{"merge", "auto_detect", "find entries that say the same"},
	{"merge", "cohesion_threshold", "how similar entries must be"},
	{"merge", "keep", "which value stays, or all of them combined"},
	{"merge", "mode", "show the result, merge, or link the entries"},
	{"optimize", "strategy", "which entries to look at"},
	{"optimize", "limit", "look at no more than this many"},
	{"optimize", "dry_run", "only show what would be done"},
	{"consolidate", "mode", "how thorough to be; rem also looks for patterns"},
	{"consolidate", "salience_threshold", "archive what matters less than this"},
	{"consolidate", "max_memories",
	 "look at no more than this many, the least recently active first; 0 for all"},
	{"consolidate", "dry_run", "only show what would be done"},
	{"consolidate", "save", "store the patterns as entries"},
	{"log", "limit", "show at most this many changes"},
	{"log", "diff", "show values before and after; default: with a key"},
	{"revert", "key", "the entry to put back"},
	{"revert", "to", "the change after which the entry was right"},
	{"revert", "change", "the change to undo, instead of an entry"},
	{"revert", "force", "even if it has changed since"},
	{"maintain", "dry_run", "only show what would be done"},
};

const char *option_text_find(const char *command, const char *param)
{
	for (size_t i = 0; i < sizeof option_texts / sizeof *option_texts; i++) {
		if (strcmp(option_texts[i].command, command) == 0 &&
		    strcmp(option_texts[i].param, param) == 0)
			return option_texts[i].text;
	}
	return NULL;
}
