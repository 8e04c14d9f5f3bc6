#!/usr/bin/env node
/**
 * Checks the audit logs of Sallyport without Sallyport (docs/audit-proof.md). Node 20 or later, nothing else.
 *
 *   node verify-audits.mjs sql operate_log | psql -qAtX "$DATABASE_URL" > operate_log
 *   node verify-audits.mjs check --roots roots.json --key root-key.pem operate_log login_log …
 *
 *   node verify-audits.mjs recording session 01a2….cast.gz …
 *
 * A file has the name of its log. `roots.json` is what `GET /api/v1/audits/roots/` answered, kept from day to day where
 * the database is not. `recording` compares recordings with the checksums that were chained with their sessions, by the
 * file of that log. Exit code 1: something is wrong, and the first of it is named for each log.
 */
import { createHash, verify } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

/** Columns that a row's hash covers: those of all rows, and those that count where one of them holds something. */
const LOGS = {
  login_log: [
    'audits_login_log',
    ['id', 'username', 'type', 'ip', 'city', 'user_agent', 'mfa', 'reason', 'backend', 'status', 'datetime'],
    [],
  ],
  operate_log: [
    'audits_operate_log',
    ['id', 'user', 'action', 'resource_type', 'resource', 'remote_addr', 'datetime', 'org_id'],
    ['user_id', 'sign_in_id', 'object_type', 'object_id', 'changes'],
  ],
  ftp_log: [
    'audits_ftp_log',
    ['id', 'user', 'remote_addr', 'asset', 'system_user', 'org_id', 'operate', 'filename', 'is_success', 'date_start'],
    ['user_id', 'asset_id', 'session_id', 'sign_in_id'],
  ],
  password_change_log: [
    'audits_password_change_log',
    ['id', 'user', 'change_by', 'remote_addr', 'datetime'],
    ['user_id', 'change_by_id', 'sign_in_id'],
  ],
  secret_look: [
    'kernel_secret_look',
    [
      'id',
      'how',
      'reason',
      'owner_kind',
      'owner_id',
      'owner',
      'org_id',
      'user_id',
      'user',
      'remote_addr',
      'date_created',
    ],
    [],
  ],
}

const ENTRY = ['id', 'kind', 'row_id', 'body', 'date']
const hashed = (content) => `encode(sha256(convert_to(${content}, 'UTF8')), 'hex')`

/**
 * Logs whose rows are kept elsewhere: chained are entries that say what a row was, at its beginning and at its end. By
 * kind: how many values an entry of a beginning has, where the others come later; what is chained of a row as it is now;
 * whether a row is from before an upgrade and waits to be chained.
 */
const ENTRY_LOGS = {
  session: {
    table: 'audits_session_entry',
    kinds: { session: 12, session_event: undefined, session_sharing: undefined, session_join: 8 },
    now: `
      SELECT 'session' AS kind, s.id AS row_id, s.date_start AS date,
        (jsonb_build_array(s.id, s.org_id, s."user", s.asset, s.system_user, s.user_id, s.asset_id, s.target_family,
          s.system_user_id, s.login_from, s.date_start, s.sign_in_id)
        || CASE WHEN s.is_finished THEN jsonb_build_array(s.is_success, s.protocol, s.remote_addr, s.date_end, s.has_replay,
          s.replay_sha256) ELSE '[]' END)::text AS body
      FROM terminal_session s
      UNION ALL SELECT 'session_event', e.id, s.date_start,
        jsonb_build_array(e.id, e.session, e.event, e."user", e.remote_addr, e.reason, e.date_created)::text
      FROM terminal_session_event e JOIN terminal_session s ON s.id = e.session
      UNION ALL SELECT 'session_sharing', h.id, s.date_start,
        jsonb_build_array(h.id, h.org_id, h.session, h.created_by, h.action_permission, h.expired_time, h.date_created)::text
      FROM terminal_session_sharing h JOIN terminal_session s ON s.id = h.session
      UNION ALL SELECT 'session_join', j.id, s.date_start,
        (jsonb_build_array(j.id, j.org_id, j.session, j.sharing, j.joiner_display, j.remote_addr, j.login_from, j.date_joined)
        || CASE WHEN j.is_finished THEN jsonb_build_array(j.is_success, j.reason, j.date_left) ELSE '[]' END)::text
      FROM terminal_session_join_record j JOIN terminal_session s ON s.id = j.session`,
  },
  command: {
    table: 'audits_command_entry',
    kinds: { command: undefined, statement: undefined },
    now: `
      SELECT 'command' AS kind, c.id AS row_id, to_timestamp(c.timestamp) AS date,
        ${hashed(`jsonb_build_array(c.id, c.org_id, c."user", c.asset, c.system_user, c.input, c.output, c.session,
          c.risk_level, c.rule, c.rule_filter, c.ticket, c.timestamp)::text`)} AS body
      FROM terminal_command c
      UNION ALL SELECT 'statement', s.command, to_timestamp(c.timestamp),
        ${hashed(`jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows, s.error, s.code, s.database,
          s.program)::text`)}
      FROM terminal_statement s JOIN terminal_command c ON c.id = s.command`,
    waiting: `EXISTS (SELECT FROM audits_backlog b
      WHERE (extract(epoch FROM now.date)::bigint, now.row_id) > (b.after_time, b.after_id)
        AND (extract(epoch FROM now.date)::bigint, now.row_id) <= (b.last_time, b.last_id))`,
  },
  command_execution: {
    table: 'audits_execution_entry',
    kinds: { execution: 9, outcome: undefined },
    now: `
      SELECT 'execution' AS kind, e.id AS row_id, e.date_created AS date,
        (jsonb_build_array(e.id, e.org_id, e.user_id, e."user", e.remote_addr, e.run_as, e.run_as_display, e.command,
          e.date_created)
        || CASE WHEN e.is_finished THEN jsonb_build_array(e.error, e.date_start, e.date_finished) ELSE '[]' END)::text AS body
      FROM ops_command_execution e
      UNION ALL SELECT 'outcome', md5(h.execution::text || h.asset)::uuid, e.date_created,
        (jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error, ${hashed('h.stdout')},
          ${hashed('h.stderr')}) || CASE WHEN h.command IS NULL THEN '[]' ELSE jsonb_build_array(h.command) END)::text
      FROM ops_command_execution_host h JOIN ops_command_execution e ON e.id = h.execution
      WHERE h.state NOT IN ('waiting', 'held', 'running')`,
  },
  ticket: {
    table: 'audits_ticket_entry',
    kinds: { ticket: 10, ticket_comment: undefined },
    now: `
      SELECT 'ticket' AS kind, t.id AS row_id, t.date_created AS date,
        jsonb_build_array(t.id, t.org_id, t.type, t.title, t.applicant_display, t.meta, t.comment, t.serial_num,
          t.time_zone, t.date_created, t.state, t.status, t.approval_step, t.process_map)::text AS body
      FROM tickets_ticket t
      UNION ALL SELECT 'ticket_comment', c.id, c.date_created,
        jsonb_build_array(c.id, c.ticket, c.user_display, c.body, c.action, c.date_created)::text
      FROM tickets_comment c`,
  },
  task_run: {
    table: 'audits_run_entry',
    kinds: { task_run: 5, task_outcome: undefined },
    now: `
      SELECT 'task_run' AS kind, e.id AS row_id, e.date_start AS date,
        (jsonb_build_array(e.id, e.org_id, e.task_display, e.hosts_amount, e.date_start)
        || CASE WHEN e.is_finished THEN jsonb_build_array(e.is_success, e.date_finished) ELSE '[]' END)::text AS body
      FROM ops_adhoc_execution e
      UNION ALL SELECT 'task_outcome', md5(h.execution::text || h.asset)::uuid, e.date_start,
        jsonb_build_array(h.execution, h.asset, h.name, h.is_success, ${hashed('h.results::text')})::text
      FROM ops_adhoc_execution_host h JOIN ops_adhoc_execution e ON e.id = h.execution`,
  },
}
/** By kind: whether an entry says that the row is over, after which nothing of it changes. */
const IS_OVER = {
  execution: (values) => values.length > ENTRY_LOGS.command_execution.kinds.execution,
  ticket: (values) => values[11] === 'closed',
  task_run: (values) => values.length > ENTRY_LOGS.task_run.kinds.task_run,
}
const ALL_LOGS = [...Object.keys(LOGS), ...Object.keys(ENTRY_LOGS)]
/** Of a row that went to a storage outside, and of a run that went with an old version of its task. */
const MOVED = 'moved:'
const GONE = 'gone:'

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')
const quoted = (names) => names.map((name) => `"${name}"`).join(', ')

function sqlOf(log) {
  return ENTRY_LOGS[log] ? sqlOfEntries(ENTRY_LOGS[log]) : sqlOfRows(log)
}

/** Each entry with its row as it is now; then rows without an entry. */
function sqlOfEntries({ table, now, waiting = 'false' }) {
  const entry = `jsonb_build_array(${ENTRY.map((name) => `e.${name}`).join(', ')})::text`
  return `SET TimeZone = 'UTC';
SELECT jsonb_build_array(e.chain_number, encode(e.chain_hash, 'hex'), CASE WHEN e.id IS NOT NULL THEN ${entry} END,
  now.kind, now.row_id, now.body, now.date, e.id IS NULL AND ${waiting})
FROM ${table} e FULL JOIN (${now}) now ON now.kind = e.kind AND now.row_id = e.row_id
ORDER BY e.chain_number NULLS LAST, e.id;`
}

function sqlOfRows(log) {
  const [table, first, later] = LOGS[log]
  const body = (names) => `jsonb_build_array(${quoted(names)})::text`
  const text = later.length
    ? `CASE WHEN num_nonnulls(${quoted(later)}) = 0 THEN ${body(first)} ELSE ${body([...first, ...later])} END`
    : body(first)
  return `SET TimeZone = 'UTC';
SELECT jsonb_build_array(chain_number, encode(chain_hash, 'hex'), ${text}) FROM ${table}
WHERE chain_number IS NOT NULL ORDER BY chain_number;`
}

/** The roots that hold: signed by the key, each naming the one before. Throws for the first that does not. */
function readRoots(file, key) {
  const roots = JSON.parse(readFileSync(file, 'utf8')).sort((a, b) => a.number - b.number)
  return roots.map(({ number, body, signature }, at) => {
    const root = JSON.parse(body)
    if (!verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64')) || root.number !== number)
      throw new Error(`root ${number} is not signed by this key`)
    const before = roots[at - 1]
    if (before && number !== before.number + 1) throw new Error(`root ${before.number + 1} is missing`)
    if (before && root.previous !== sha256(before.body))
      throw new Error(`root ${number} does not follow root ${before.number}`)
    return root
  })
}

/** Rows as their entries say that they are: what is wrong first, once all were seen. */
class Rows {
  /** By row: its newest entry so far, where that is not what the row is now. */
  #doubtful = new Map()
  #kinds
  #goneBefore
  #changed
  #inserted
  moved = 0
  gone = 0
  waiting = 0

  constructor(kinds, goneBefore) {
    this.#kinds = kinds
    this.#goneBefore = goneBefore ? Date.parse(goneBefore) : -Infinity
  }

  see(number, text, now) {
    if (text === null) {
      if (now.waiting) this.waiting++
      // What retention is about to remove may have lost its entries first.
      else if (Date.parse(now.date) >= this.#goneBefore)
        this.#inserted ??= `${nameOf(now.kind, now.row, now.body)} was inserted: nothing was chained of it`
      return
    }
    const [, kind, row, body, date] = JSON.parse(text)
    const key = `${kind} ${row}`
    if (body.startsWith(MOVED)) {
      this.moved++
      for (const of of Object.keys(this.#kinds)) this.#doubtful.delete(`${of} ${row}`)
      return
    }
    if (body.startsWith(GONE)) {
      this.gone++
      this.#doubtful.delete(key)
      return
    }
    const before = this.#doubtful.get(key)
    if (before && this.#kinds[kind] && !beginsLike(body, before.body, this.#kinds[kind]))
      this.#changed ??= { number, wrong: `${nameOf(kind, row, body)} was changed after it began` }
    if (before && before.body !== body && IS_OVER[kind]?.(JSON.parse(before.body)))
      this.#changed ??= { number, wrong: `${nameOf(kind, row, body)} was changed after it was over` }
    if (now.body === body || (now.body === null && Date.parse(date) < this.#goneBefore)) this.#doubtful.delete(key)
    else {
      const wrong = `${nameOf(kind, row, body)} ${now.body === null ? 'was removed' : 'was changed'}`
      // Of a row that is gone all entries are in doubt, and the first one names it.
      this.#doubtful.set(key, { number: now.body === null ? (before?.number ?? number) : number, body, wrong })
    }
  }

  wrong() {
    const found = [...this.#doubtful.values(), ...(this.#changed ? [this.#changed] : [])]
    const first = found.sort((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity))[0]
    return first ? `${first.wrong} (row ${first.number ?? 'not chained yet'})` : this.#inserted
  }
}

const beginsLike = (text, other, values) =>
  JSON.stringify(JSON.parse(text).slice(0, values)) === JSON.stringify(JSON.parse(other).slice(0, values))

function nameOf(kind, row, body) {
  if (!kind.endsWith('outcome')) return `${kind} ${row}`
  const [execution, asset, name] = JSON.parse(body)
  return `${kind} of ${execution} on ${name || asset}`
}

/** What is wrong with a log first; undefined for nothing. */
async function check(log, file, roots) {
  const marks = roots
    .map(({ number, logs }) => ({ root: number, ...logs[log] }))
    .filter(({ last }) => last !== undefined)
  const newest = marks.at(-1)
  let number
  let hash
  let rows = 0
  let held = 0
  const kept = ENTRY_LOGS[log] && new Rows(ENTRY_LOGS[log].kinds, newest?.goneBefore)
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line) continue
    const [found, stored, body, kind, row, content, date, waiting] = JSON.parse(line)
    kept?.see(found, body, { kind, row, body: content, date, waiting })
    // Written within the last minute.
    if (found === null) continue
    if (number === undefined) {
      // Retention removes from the beginning: where the chain begins now, a root has to say.
      const start = found === 1 ? { firstHash: '' } : marks.findLast(({ first }) => first === found - 1)
      if (!start) return { rows, wrong: `rows before ${found} were removed, and no root says that they might be` }
      if (newest && found <= newest.first) return { rows, wrong: `row ${found} was put before the first one` }
      number = found - 1
      hash = start.firstHash
    }
    number++
    if (found !== number)
      return { rows, wrong: found > number ? `row ${number} was removed` : `row ${found} was inserted` }
    hash = sha256(hash, '\n', body)
    if (hash !== stored) return { rows, wrong: `row ${number} was changed, or put in the place of another` }
    for (const mark of marks)
      if (mark.last === number) {
        if (mark.lastHash !== hash)
          return {
            rows,
            wrong: `a row from ${held + 1} to ${number} was changed, with all hashes after it (root ${mark.root})`,
          }
        held = number
      }
    rows++
  }
  const end = number ?? newest?.first ?? 0
  if (newest && newest.last > end) return { rows, wrong: `row ${end + 1} was removed, and all after it` }
  return { rows, held, wrong: kept?.wrong(), moved: kept?.moved, gone: kept?.gone, waiting: kept?.waiting }
}

/** Session → checksum of its recording, as it was chained last. */
async function chainedRecordings(file) {
  const sums = new Map()
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const entry = line && JSON.parse(line)[2]
    if (!entry) continue
    const [, kind, session, body] = JSON.parse(entry)
    if (kind === 'session') sums.set(session, JSON.parse(body)[ENTRY_LOGS.session.kinds.session + 5])
  }
  return sums
}

/** Of a recording before it was packed. */
async function sumOf(file) {
  const hash = createHash('sha256')
  const source = createReadStream(file)
  const content = file.endsWith('.gz')
    ? source.on('error', (error) => content.destroy(error)).pipe(createGunzip())
    : source
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

async function checkRecordings(log, files) {
  const sums = await chainedRecordings(log)
  for (const file of files) {
    const name = basename(file)
    const sum = sums.get(name.split('.')[0])
    const holds = sum && sum === (await sumOf(file).catch(() => undefined))
    console.log(`${name}: ${holds ? 'holds' : sum ? 'was changed' : 'no checksum of it was chained'}`)
    if (!holds) process.exitCode = 1
  }
}

function optionOf(parameters, name) {
  const at = parameters.indexOf(name)
  if (at < 0) throw new Error(`${name} is missing`)
  return parameters.splice(at, 2)[1]
}

async function main([what, ...parameters]) {
  if (what === 'sql' && ALL_LOGS.includes(parameters[0])) return console.log(sqlOf(parameters[0]))
  if (what === 'recording' && parameters.length > 1) return checkRecordings(parameters[0], parameters.slice(1))
  if (what !== 'check')
    throw new Error(`sql LOG, check --roots FILE --key FILE LOG…, or recording LOG FILE…; logs: ${ALL_LOGS.join(' ')}`)
  const key = readFileSync(optionOf(parameters, '--key'), 'utf8')
  const roots = readRoots(optionOf(parameters, '--roots'), key)
  console.log(`${roots.length} roots are signed; the newest is of ${roots.at(-1)?.date ?? 'no day'}`)
  for (const file of parameters) {
    const log = basename(file)
    if (!ALL_LOGS.includes(log)) throw new Error(`${log} is no log`)
    const { rows, wrong, held, moved, gone, waiting } = await check(log, file, roots)
    const elsewhere = moved ? `; ${moved} are in storages outside` : ''
    const removed = gone ? `; ${gone} went with old versions of their tasks` : ''
    const later = waiting ? `; ${waiting} from before the upgrade wait to be chained` : ''
    console.log(
      wrong ? `${log}: ${wrong}` : `${log}: ${rows} rows hold, signed up to row ${held}${elsewhere}${removed}${later}`,
    )
    if (wrong) process.exitCode = 1
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
