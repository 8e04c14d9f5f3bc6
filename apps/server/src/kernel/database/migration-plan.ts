import type pg from 'pg'

/** The effect of a statement on a table that is there already. */
interface Effect {
  table: string
  words: string
  /** Microseconds for each row of it. */
  cost: number
}

/**
 * Rough assumptions, not measurements, for tables that fit into memory; writing includes the
 * indexes and the log. Slow disks take some times as long.
 */
const COST = { nothing: 0, read: 2, index: 5, write: 50 } as const

/** The kinds of statements that change tables; the first that fits counts. `1` is the table. */
const KINDS: readonly { form: RegExp; words: string; cost: number }[] = [
  { form: /^CREATE (?:UNIQUE )?INDEX[^(]*? ON (?:ONLY )?(\w+)/i, words: 'a new index', cost: COST.index },
  { form: /^UPDATE (?:ONLY )?(\w+)/i, words: 'rows are changed', cost: COST.write },
  { form: /^DELETE FROM (?:ONLY )?(\w+)/i, words: 'rows are removed', cost: COST.write },
  { form: /^INSERT INTO (\w+)/i, words: 'rows are added', cost: COST.nothing },
  { form: /^(?:DROP TABLE|TRUNCATE)(?: TABLE)?(?: IF EXISTS)? (\w+)/i, words: 'it is removed', cost: COST.nothing },
  {
    form: /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)[^;]*\b(?:TYPE \w|SET DATA TYPE|GENERATED ALWAYS AS \(|SET UNLOGGED|SET LOGGED|DEFAULT (?!now\()\w+\()/i,
    words: 'it is written anew',
    cost: COST.write,
  },
  {
    form: /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)[^;]*\b(?:CHECK|REFERENCES|SET NOT NULL|UNIQUE|PRIMARY KEY|EXCLUDE)\b/i,
    words: 'a rule that its rows are compared with',
    cost: COST.read,
  },
  { form: /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)/i, words: 'columns or names change', cost: COST.nothing },
  { form: /^CREATE (?:CONSTRAINT )?TRIGGER[\s\S]*? ON (\w+)/i, words: 'a new trigger', cost: COST.nothing },
]
/** What it makes, by name: nothing of that has rows. */
const MADE = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/i
const COMMENTS_AND_TEXTS = /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g

/** A migration as people plan with it. */
export interface PlannedMigration {
  /** Name of its file without the ending. */
  name: string
  /** What it is for: its first comment. */
  purpose: string
  /** Tables that it makes. */
  makes: string[]
  /** Tables of before that it touches, with their rows. */
  touches: { table: string; rows: number; effects: string[] }[]
  /** Estimated from the rows. */
  seconds: number
}

/** Rows of smaller tables are counted, in bytes; those of larger ones are the planner's estimate. */
const COUNTED_BYTES = 64 * 1024 * 1024

/**
 * Plans a migration for this database: the statements are read, and none is run. The effects of
 * procedures are not seen.
 */
export async function planMigration(client: pg.ClientBase, name: string, sql: string): Promise<PlannedMigration> {
  const statements = sql
    .replace(COMMENTS_AND_TEXTS, "''")
    .split(';')
    .map((statement) => statement.replace(/^(?:\s|'')+/, '').replace(/\s+/g, ' '))
  const makes = statements.flatMap((statement) => MADE.exec(statement)?.[1] ?? [])
  const effects = statements.flatMap(effectOf).filter(({ table }) => !makes.includes(table))
  const touches: PlannedMigration['touches'] = []
  let microseconds = 0
  for (const table of new Set(effects.map((effect) => effect.table))) {
    const rows = await rowsOf(client, table)
    if (rows === undefined) continue
    const own = effects.filter((effect) => effect.table === table)
    touches.push({ table, rows, effects: [...new Set(own.map(({ words }) => words))] })
    microseconds += rows * own.reduce((sum, { cost }) => sum + cost, 0)
  }
  return { name, purpose: purposeOf(sql), makes, touches, seconds: microseconds / 1e6 }
}

function effectOf(statement: string): Effect[] {
  for (const { form, words, cost } of KINDS) {
    const table = form.exec(statement)?.[1]
    if (table) return [{ table, words, cost }]
  }
  return []
}

/** Its first comment, in one line. */
export function purposeOf(sql: string): string {
  const [comment = ''] = /^(?:--[^\n]*\n)+/.exec(sql) ?? []
  return comment
    .replace(/^--\s?/gm, '')
    .trim()
    .replace(/\s+/g, ' ')
}

/** Undefined where there is no such table yet. */
async function rowsOf(client: pg.ClientBase, table: string): Promise<number | undefined> {
  const { rows } = await client.query<{ estimate: string; bytes: string }>(
    `SELECT reltuples::bigint AS estimate, pg_relation_size(oid) AS bytes FROM pg_class WHERE oid = to_regclass($1)`,
    [table],
  )
  const [found] = rows
  if (!found) return undefined
  if (Number(found.bytes) > COUNTED_BYTES && Number(found.estimate) > 0) return Number(found.estimate)
  const { rows: counted } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`)
  return Number(counted[0]?.count)
}
