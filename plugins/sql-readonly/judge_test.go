package main

import (
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

func with(t *testing.T, text string) {
	t.Helper()
	if err := configure(callgate.Parse(text)); err != nil {
		t.Fatal(err)
	}
}

// refused are texts beside the code that they are refused with.
var refused = map[string][][2]string{
	"postgres": {
		{`SELECT '\'' ; DROP TABLE x --'`, "SQL_STATEMENTS"},
		{`SELECT E'\'' ; DROP TABLE x --'`, "SQL_STATEMENTS"},
		{`SELECT $$;$$; DELETE FROM t`, "SQL_STATEMENTS"},
		{`SELECT $a$ $b$ $a$; DELETE FROM t -- $b$`, "SQL_STATEMENTS"},
		{"SELECT 1 -- x\rINTO t", "SQL_INTO"},
		{`SELECT /* /* */ */ 1; DROP TABLE t`, "SQL_STATEMENTS"},
		{`(WITH x AS (INSERT INTO t VALUES (1) RETURNING *) TABLE x)`, "SQL_WRITE"},
		{`WITH RECURSIVE t AS (SELECT 1) CYCLE id SET c USING path DELETE FROM x`, "SQL_WRITE"},
		{`WITH x AS MATERIALIZED (UPDATE t SET a = 1 RETURNING a) SELECT * FROM x`, "SQL_WRITE"},
		{`WITH x AS (SELECT 1) MERGE INTO t USING x ON true WHEN MATCHED THEN DELETE`, "SQL_WRITE"},
		{`SELECT pg_read_file('/etc/passwd')`, "SQL_FUNCTION"},
		{`SELECT "pg_read_file" ('/etc/passwd')`, "SQL_FUNCTION"},
		{`SELECT pg_catalog . PG_READ_FILE /* */ ('/etc/passwd')`, "SQL_FUNCTION"},
		{`SELECT U&"\0070g_read_file"('/etc/passwd')`, "SQL_UNREADABLE"},
		{`SELECT * FROM dblink('host=evil', 'select 1') AS t(a int)`, "SQL_FUNCTION"},
		{`SELECT lo_export(1, '/tmp/x')`, "SQL_FUNCTION"},
		{`SELECT query_to_xml('delete from t', true, true, '')`, "SQL_FUNCTION"},
		{`SELECT pg_sleep(60)`, "SQL_FUNCTION"},
		{`SELECT set_config('x', 'y', false)`, "SQL_FUNCTION"},
		{`SELECT * FROM t FOR NO KEY UPDATE`, "SQL_LOCK"},
		{`SELECT * FROM t FOR KEY SHARE`, "SQL_LOCK"},
		{`EXPLAIN ANALYZE DELETE FROM t`, "SQL_EXPLAIN_ANALYZE"},
		{`EXPLAIN (ANALYSE) SELECT 1`, "SQL_EXPLAIN_ANALYZE"},
		{`EXPLAIN DELETE FROM t`, "SQL_VERB"},
		{`DO $$ BEGIN DELETE FROM t; END $$`, "SQL_VERB"},
		{`SET ROLE postgres`, "SQL_VERB"},
		{`PREPARE x AS DELETE FROM t`, "SQL_VERB"},
		{`PRAGMA table_info(t)`, "SQL_VERB"},
		{`\! id`, "SQL_UNREADABLE"},
		{"SELECT\u00a01", "SQL_UNREADABLE"},
		{"SELECT 1 /* \x00 */", "SQL_UNREADABLE"},
		{`SELECT 1 /* x`, "SQL_UNREADABLE"},
		{``, "SQL_NONE"},
	},
	"mysql": {
		{`SELECT 1 # x` + "\n; DROP TABLE t", "SQL_STATEMENTS"},
		{`SELECT 1--1; DROP TABLE t`, "SQL_STATEMENTS"},
		{`SELECT 'it\'; DROP TABLE t; '`, "SQL_STATEMENTS"},
		{`SELECT "a\"; DROP TABLE t; -- "`, "SQL_STATEMENTS"},
		{"SELECT `a`` ; `; DROP TABLE t", "SQL_STATEMENTS"},
		{`SELECT /*!32302 1/0, */ 1`, "SQL_EXECUTABLE_COMMENT"},
		{`SELECT 1 /*M! INTO OUTFILE 'x' */`, "SQL_EXECUTABLE_COMMENT"},
		{`SELECT a INTO @x FROM t`, "SQL_INTO"},
		{`TABLE t INTO OUTFILE '/tmp/x'`, "SQL_INTO"},
		{`SELECT SLEEP (10)`, "SQL_FUNCTION"},
		{`SELECT BENCHMARK(1e9, MD5('x'))`, "SQL_FUNCTION"},
		{`SELECT * FROM t LOCK IN SHARE MODE`, "SQL_LOCK"},
		{`WITH x AS (SELECT 1) UPDATE (t) SET a = 1`, "SQL_WRITE"},
		{`REPLACE INTO t VALUES (1)`, "SQL_VERB"},
		{`EXPLAIN ANALYZE SELECT 1`, "SQL_EXPLAIN_ANALYZE"},
		{`DESCRIBE DELETE FROM t`, "SQL_VERB"},
	},
	"sqlite": {
		{`ATTACH 'x.db' AS x`, "SQL_VERB"},
		{`SELECT load_extension('./x')`, "SQL_FUNCTION"},
		{`SELECT [load_extension]('./x')`, "SQL_FUNCTION"},
		{`SELECT writefile('x', 'y')`, "SQL_FUNCTION"},
		{`PRAGMA main.journal_mode = OFF`, "SQL_PRAGMA"},
		{`PRAGMA user_version(3)`, "SQL_PRAGMA"},
		{`PRAGMA optimize`, "SQL_PRAGMA"},
		{`SELECT [a;b] FROM t; DROP TABLE t`, "SQL_STATEMENTS"},
		{`VACUUM INTO 'x'`, "SQL_VERB"},
		{`REPLACE INTO t VALUES (1)`, "SQL_VERB"},
	},
	"generic": {
		{`SELECT 1 DROP TABLE t`, "SQL_WRITE"},
		{`SELECT a FROM t EXEC xp_cmdshell 'id'`, "SQL_WRITE"},
		{`SELECT 1 SHUTDOWN`, "SQL_WRITE"},
		{`SELECT 'a' DELETE FROM t`, "SQL_WRITE"},
		{`SELECT 1DELETE FROM t`, "SQL_UNREADABLE"},
		{`SELECT utl_http.request('http://evil') FROM dual`, "SQL_FUNCTION"},
		{`SELECT * FROM OPENROWSET('x', 'y', 'z')`, "SQL_FUNCTION"},
		{`SELECT * FROM read_csv_auto('/etc/passwd')`, "SQL_FUNCTION"},
		{`SELECT q'[']'; DROP TABLE t --'`, "SQL_STATEMENTS"},
		{`SELECT $$'$$; DROP TABLE t --'`, "SQL_STATEMENTS"},
	},
}

// passing are texts that pass.
var passing = map[string][]string{
	"postgres": {
		`SELECT $1::int, a->>'b', $tag$ ; DROP $tag$ FROM t WHERE x = E'it\'s' AND y = 'a\b'`,
		`SELECT substring(a FOR 3), extract(year FROM b), count(*) FILTER (WHERE c) FROM t`,
		`SELECT count(*) OVER (PARTITION BY a ORDER BY b) AS n, t.delete, update FROM t`,
		`WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a JOIN b USING (x) WHERE EXISTS (SELECT 1) UNION ALL (VALUES (1), (2))`,
		`EXPLAIN (VERBOSE, FORMAT JSON) WITH a AS (SELECT 1) SELECT * FROM a`,
		`SELECT replace(a, 'x', 'y') FROM t -- update`,
		`SHOW search_path`, `TABLE t`, `VALUES (1)`, `SELECT 0x1F, 1.5e-3, 1_000, .5`,
		`SELECT relname FROM pg_catalog.pg_class WHERE relkind = 'r';`,
	},
	"mysql": {
		`SELECT 'it\'s', "x", ` + "`update`" + ` FROM t # remark`, `SELECT 5--1`, `SHOW CREATE TABLE t`, `SHOW INDEX FROM t`, `DESC t`, `DESCRIBE t name`,
		`EXPLAIN FORMAT=JSON SELECT 1`, `SELECT INSERT('a', 1, 1, 'b'), REPLACE('a', 'b', 'c')`, `SELECT /*+ MAX_EXECUTION_TIME(1000) */ 1`,
		`SELECT "it's" FROM t`,
	},
	"sqlite":  {`PRAGMA table_info(t)`, `PRAGMA main.user_version`, `EXPLAIN QUERY PLAN SELECT 1`, `SELECT [a b], "c", ` + "`d`" + ` FROM t`, `SELECT ?1, :name, @x`},
	"generic": {`SELECT a FROM t WHERE b = 'it''s' AND c IN (1, 2) ORDER BY a LIMIT 10`, `SELECT TOP 5 [a b] FROM t`, `SELECT 'C:\dir'`},
}

func TestWhatDoesMoreThanReadIsRefused(t *testing.T) {
	n := 0
	for dialect, list := range refused {
		with(t, `{"dialect":"`+dialect+`"}`)
		for _, c := range list {
			if f := judge(c[0]); f.code != c[1] || f.ask {
				t.Errorf("%s: %s: %+v; want %s", dialect, c[0], f, c[1])
			}
			n++
		}
	}
	if n < 60 {
		t.Errorf("%d texts; want all", n)
	}
}

func TestWhatReadsPasses(t *testing.T) {
	n := 0
	for dialect, list := range passing {
		with(t, `{"dialect":"`+dialect+`"}`)
		for _, text := range list {
			if f := judge(text); f.code != "" {
				t.Errorf("%s: %s: %+v; want it to pass", dialect, text, f)
			}
			n++
		}
	}
	if n < 25 {
		t.Errorf("%d texts; want all", n)
	}
}

func TestWritesOfNamedRowsPassWhereTheyMay(t *testing.T) {
	with(t, `{"dialect":"mysql","writes":"bounded"}`)
	for text, want := range map[string]string{
		`UPDATE c SET a=1 WHERE id=7`:                                "",
		`UPDATE shop.c AS x SET a=1 WHERE x.id = 'k' AND b<2`:        "",
		`DELETE FROM c WHERE id IN (1, 2) LIMIT 1`:                   "",
		`INSERT INTO c (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2`: "",
		`SELECT 1`:                                                           "",
		`DELETE FROM c`:                                                      "SQL_UNBOUNDED",
		`DELETE FROM c WHERE 1=1`:                                            "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id=id`:                                          "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id=7 OR true`:                                   "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id=7 || 1`:                                      "SQL_UNBOUNDED",
		`DELETE FROM c WHERE NOT id=7`:                                       "SQL_UNBOUNDED",
		`DELETE FROM c WHERE name=0`:                                         "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id>0`:                                           "SQL_UNBOUNDED",
		`DELETE FROM c WHERE 'a'='a'`:                                        "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id IN ()`:                                       "SQL_UNBOUNDED",
		`DELETE a FROM a JOIN b WHERE b.id=7`:                                "SQL_UNBOUNDED",
		`UPDATE a, b SET a.x=1 WHERE b.id=7`:                                 "SQL_UNBOUNDED",
		`UPDATE c SET a=1 # WHERE id=7`:                                      "SQL_UNBOUNDED",
		`DELETE FROM c WHERE name=0.0`:                                       "SQL_UNBOUNDED",
		`DELETE FROM c WHERE name=00`:                                        "SQL_UNBOUNDED",
		`DELETE FROM c WHERE name=0e5`:                                       "SQL_UNBOUNDED",
		`DELETE FROM c WHERE n=10 AND m>0e5`:                                 "",
		`DELETE FROM c WHERE CASE WHEN 1 THEN 1 ELSE 1 AND id = 5 AND 1 END`: "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id=5 AND returning=1 OR 1=1`:                    "SQL_UNBOUNDED",
		`DELETE FROM c WHERE id=5 AND a=1 RETURNING id`:                      "",
		`INSERT INTO c SELECT * FROM d`:                                      "SQL_UNBOUNDED",
		`REPLACE INTO c VALUES (1)`:                                          "SQL_UNBOUNDED",
		`TRUNCATE c`:                                                         "SQL_SCHEMA",
		`DROP TABLE c`:                                                       "SQL_SCHEMA",
		`DELETE FROM c WHERE id=7; DELETE FROM d`:                            "SQL_STATEMENTS",
		`DELETE FROM c WHERE id=7 AND a=1 DROP TABLE d`:                      "SQL_WRITE",
		`UPDATE c SET a=load_file('x') WHERE id=7`:                           "SQL_FUNCTION",
		`GRANT ALL ON *.* TO x`:                                              "SQL_VERB",
		`CALL x()`:                                                           "SQL_VERB",
	} {
		f := judge(text)
		ask := want == "SQL_UNBOUNDED" || want == "SQL_SCHEMA"
		if f.code != want || f.ask != ask {
			t.Errorf("%s: %+v; want %q", text, f, want)
		}
	}
}

func TestTheVerdictPointsAtTheArgument(t *testing.T) {
	got, err := callgate.Try(`{"call":{"arguments":{"sql":"DROP TABLE t"}},"settings":{"dialect":"mysql"}}`)
	want := `{"at":["/call/arguments/sql"],"code":"SQL_VERB","outcome":"deny","reason":"it starts with none of the statements that may be sent"}`
	if err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func FuzzNoTextBreaksTheReader(f *testing.F) {
	for _, list := range refused {
		for _, c := range list {
			f.Add(c[0])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for dialect := range dialects {
			set = settings{dialect: dialect, verbs: statements[dialect], bounded: len(text)%2 == 0}
			if judge(text).code != "" {
				continue
			}
			if f := judge(text + "\n; DROP TABLE t"); f.code == "" {
				t.Fatalf("%s: %q lets a second statement pass", dialect, text)
			}
		}
	})
}
