import { getTableColumns, getTableName, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { sealInJson } from '../secrets/sealed-json.ts'
import { type ArrivalPlace, type ArrivalRun, type ArrivingRow, type Outcome, Outcomes } from './arrival.ts'
import { columnNames, inHalves, typedColumns } from './in-halves.ts'
import { noteArrivals, noteKind } from './note-arrivals.ts'

interface Known {
  key: string
  id: string
  digest: Buffer
  stored: string | null
}

/**
 * Stores rows of another product: new ones are inserted, and those that changed there are updated
 * where nobody has changed them here since. Answers by id there; for one batch of at most some
 * thousand rows. Statements are set-based; rows go one by one only where the database has refused a batch.
 */
export async function arrive(run: ArrivalRun, place: ArrivalPlace, rows: readonly ArrivingRow[]): Promise<Outcomes> {
  const outcomes = new Outcomes()
  const [first] = rows
  if (!first) return outcomes
  const columns = [...Object.keys(first.values), ...Object.keys(first.plain ?? {}).filter(isColumn)]
  const known = await knownArrivals(run, place, rows)
  const now = await storedNow(run, place, columns, [
    ...rows.map(({ id }) => id),
    ...[...known.values()].map(({ id }) => id),
  ])
  const fresh: ArrivingRow[] = []
  const changed: ArrivingRow[] = []
  for (const row of rows) {
    const before = known.get(row.key)
    const outcome = judge(run, place, row, before, now)
    outcomes.set(row.key, outcome)
    if (outcome === 'added') fresh.push(row)
    if (outcome === 'updated') changed.push({ ...row, id: before?.id ?? row.id })
  }
  const refused = [
    ...(await inBatch(run, fresh, (db, some) => insert(db, run, place, columns, some))),
    ...(await inBatch(run, changed, (db, some) => update(db, run, place, columns, some))),
  ]
  for (const { key } of refused) outcomes.set(key, 'taken')
  for (const { key, id } of rows) {
    const before = known.get(key)
    const outcome = outcomes.get(key)
    if (outcome !== 'gone' && (before || outcome !== 'taken')) outcomes.ids.set(key, before?.id ?? id)
  }
  await note(run, place, columns, rows, { outcomes, known })
  return outcomes
}

const isColumn = (name: string) => !name.includes('.')

function judge(
  { secrets }: ArrivalRun,
  { isPart }: ArrivalPlace,
  row: ArrivingRow,
  before: Known | undefined,
  now: ReadonlyMap<string, string>,
): Outcome {
  if (!before) {
    if (isPart) return now.has(row.id) ? 'updated' : 'gone'
    return now.has(row.id) ? 'there' : 'added'
  }
  const text = textOf(row)
  if (secrets.fingerprints(text).some((one) => one.equals(before.digest)))
    return before.stored === null ? 'there' : 'same'
  const stored = now.get(before.id)
  if (stored === undefined) return 'gone'
  if (before.stored === null) return 'there'
  return stored === before.stored ? 'updated' : 'kept'
}

/** All that came, in one text. */
const textOf = ({ values, plain }: ArrivingRow): string => JSON.stringify([values, plain ?? {}])

async function knownArrivals(
  { db, source }: ArrivalRun,
  { kind }: ArrivalPlace,
  rows: readonly ArrivingRow[],
): Promise<Map<string, Known>> {
  const keys = JSON.stringify(rows.map(({ key }) => key))
  const found = await db.execute<{ key: string; id: string; digest: Buffer; stored: string | null }>(sql`
    SELECT key, id, digest, stored FROM kernel_arrival
    WHERE source = ${source} AND kind = ${kind} AND key IN (SELECT json_array_elements_text(${keys}))`)
  return new Map(found.rows.map((one) => [one.key, one]))
}

/** Hashes of these columns as they are now, by id; without rows that are not there. */
async function storedNow(
  { db }: Pick<ArrivalRun, 'db'>,
  { table, id = 'id' }: ArrivalPlace,
  columns: readonly string[],
  ids: readonly string[],
): Promise<Map<string, string>> {
  // Times are written in the zone of the connection.
  await db.execute(sql`SELECT set_config('TimeZone', 'UTC', true)`)
  const type = sql.raw(getTableColumns(table)[id]?.getSQLType() ?? 'uuid')
  const { rows } = await db.execute<{ id: string; stored: string }>(sql`
    SELECT ${sql.identifier(id)}::text AS id, md5(jsonb_build_array(${columnNames(columns)})::text) AS stored FROM ${table}
    WHERE ${sql.identifier(id)} IN (SELECT one::${type} FROM json_array_elements_text(${JSON.stringify(ids)}) one)`)
  return new Map(rows.map((row) => [row.id, row.stored]))
}

type Write = (db: Database, rows: readonly ArrivingRow[]) => Promise<ReadonlySet<string>>

/** Stores the rows, and answers those that the database does not take. */
const inBatch = ({ db }: ArrivalRun, rows: readonly ArrivingRow[], write: Write): Promise<ArrivingRow[]> =>
  inHalves(db, rows, async (within, some) => {
    const stored = await write(within, some)
    return some.filter(({ id }) => !stored.has(id))
  })

async function insert(
  db: Database,
  { secrets }: ArrivalRun,
  place: ArrivalPlace,
  columns: readonly string[],
  rows: readonly ArrivingRow[],
): Promise<Set<string>> {
  const id = place.id ?? 'id'
  const all = [id, ...columns, ...Object.keys(rows[0]?.once ?? {})]
  const stored = await db.execute<{ id: string }>(sql`
    INSERT INTO ${place.table} (${columnNames(all)})
    SELECT ${columnNames(all)} FROM json_to_recordset(${asJson(secrets, id, rows)}) AS row (${typedColumns(place.table, all)})
    ON CONFLICT DO NOTHING RETURNING ${sql.identifier(id)}::text AS id`)
  return new Set(stored.rows.map((row) => row.id))
}

async function update(
  db: Database,
  { secrets }: ArrivalRun,
  place: ArrivalPlace,
  columns: readonly string[],
  rows: readonly ArrivingRow[],
): Promise<Set<string>> {
  const id = place.id ?? 'id'
  const set = sql.join(
    columns.map((name) => sql`${sql.identifier(name)} = row.${sql.identifier(name)}`),
    sql`, `,
  )
  const own = sql.raw(`"${getTableName(place.table)}"."${id}"`)
  const stored = await db.execute<{ id: string }>(sql`
    UPDATE ${place.table} SET ${set}
    FROM json_to_recordset(${asJson(secrets, id, rows)}) AS row (${typedColumns(place.table, [id, ...columns])})
    WHERE ${own} = row.${sql.identifier(id)} RETURNING ${own}::text AS id`)
  return new Set(stored.rows.map((row) => row.id))
}

function asJson(secrets: ArrivalRun['secrets'], id: string, rows: readonly ArrivingRow[]): string {
  return JSON.stringify(rows.map((row) => ({ ...row.once, ...sealedValues(secrets, row), [id]: row.id })))
}

function sealedValues(secrets: ArrivalRun['secrets'], { values, plain = {} }: ArrivingRow): Record<string, unknown> {
  const all: Record<string, unknown> = { ...values }
  for (const [name, secret] of Object.entries(plain)) {
    const [column = '', field] = name.split('.')
    if (field === undefined) all[name] = secret === null ? null : `\\x${secrets.seal(secret).toString('hex')}`
    else if (secret !== null) all[column] = { ...(all[column] as object), [field]: sealInJson(secrets, secret) }
  }
  return all
}

/** Keeps what is known of these rows from now on, for the next run. */
async function note(
  run: ArrivalRun,
  place: ArrivalPlace,
  columns: readonly string[],
  rows: readonly ArrivingRow[],
  { outcomes, known }: { outcomes: ReadonlyMap<string, Outcome>; known: ReadonlyMap<string, Known> },
): Promise<void> {
  const written = rows.filter(({ key }) => ['added', 'updated'].includes(outcomes.get(key) ?? ''))
  const idOf = (row: ArrivingRow) => known.get(row.key)?.id ?? row.id
  const stored = await storedNow(run, place, columns, written.map(idOf))
  const noted = rows.flatMap((row) => {
    const outcome = outcomes.get(row.key)
    const before = known.get(row.key)
    // Refused rows are tried again the next time.
    if (outcome === 'taken' || (outcome === 'gone' && !before)) return []
    const isWritten = outcome === 'added' || outcome === 'updated'
    return [
      {
        key: row.key,
        id: idOf(row),
        digest: isWritten || !before ? run.secrets.fingerprint(textOf(row)) : before.digest,
        stored: isWritten ? (stored.get(idOf(row)) ?? null) : (before?.stored ?? null),
      },
    ]
  })
  await noteArrivals(run, place.kind, noted)
  const { kind, table, isPart, id = 'id', changesByItself } = place
  await noteKind(run, kind, { table, form: isPart ? 'part' : 'row', idColumn: id, columns, changesByItself })
}
