#!/usr/bin/env node
/**
 * Checks the audit logs of Sallyport without Sallyport (docs/audit-proof.md). Node 20 or later, nothing else.
 *
 *   node verify-audits.mjs sql operate_log | psql -qAtX "$DATABASE_URL" > operate_log
 *   node verify-audits.mjs check --roots roots-*.json --key root-key.pem operate_log login_log …
 *
 *   node verify-audits.mjs recording --roots roots-*.json --key root-key.pem session 01a2….cast.gz …
 *
 *   node verify-audits.mjs review --key root-key.pem access-review-01a2….json …
 *
 * A file has the name of its log; those that end in .json are what `GET /api/v1/audits/roots/` answered, kept from day to
 * day where the database is not: give all of them. `recording` compares recordings with the checksum that was chained
 * first of each, by the file of the log of sessions; roots and key may be left out, which checks less. Exit code 1:
 * something is wrong, and the first of it is named for each log.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

/**
 * Columns that a row's hash covers. `dated` says when a row is of; `hasLater`: two columns came later, for whom it was
 * done and from which product an import brought it, and are covered up to the last one that has a value.
 */
const LOGS = {
  login_log: {
    table: 'audits_login_log',
    dated: 'datetime',
    columns: [
      ...['id', 'username', 'type', 'ip', 'city', 'user_agent', 'mfa', 'reason', 'backend', 'status', 'datetime'],
      ...['user_id', 'org_ids'],
    ],
    hasLater: true,
  },
  operate_log: {
    table: 'audits_operate_log',
    dated: 'datetime',
    columns: [
      ...['id', 'user', 'action', 'resource_type', 'resource', 'remote_addr', 'datetime', 'org_id'],
      ...['user_id', 'sign_in_id', 'object_type', 'object_id', 'changes'],
    ],
    hasLater: true,
  },
  ftp_log: {
    table: 'audits_ftp_log',
    dated: 'date_start',
    columns: [
      ...['id', 'user', 'remote_addr', 'asset', 'system_user', 'org_id', 'operate', 'filename', 'is_success'],
      ...['date_start', 'user_id', 'asset_id', 'session_id', 'sign_in_id'],
    ],
    hasLater: true,
  },
  password_change_log: {
    table: 'audits_password_change_log',
    dated: 'datetime',
    columns: [
      ...['id', 'user', 'change_by', 'remote_addr', 'datetime', 'user_id', 'change_by_id', 'sign_in_id', 'org_ids'],
    ],
    hasLater: true,
  },
  secret_look: {
    table: 'kernel_secret_look',
    dated: 'date_created',
    columns: [
      ...['id', 'how', 'reason', 'owner_kind', 'owner_id', 'owner', 'org_id', 'user_id', 'user', 'remote_addr'],
      'date_created',
    ],
  },
}

const ENTRY = ['id', 'kind', 'row_id', 'body', 'date']
const hashed = (content) => `encode(sha256(convert_to(${content}, 'UTF8')), 'hex')`

/**
 * Logs whose rows are kept elsewhere: chained are entries that say what a row was. `now` is what is chained of each row as
 * it is now, and whether it `stays` when retention removes what was chained of it.
 *
 * By kind, where not all of a row is said at once and for ever: how many values are known as it `begins`; which are
 * `learnt` after its end, and what they are until then; whether one state `leadsTo` another. `partOf` a run: nothing is
 * added once that is over. `dated`: when it is of.
 *
 * By kind in `batches`: an entry of several rows of another kind, whose body has a line of each: id, Unix seconds, SHA-256.
 */
const ENTRY_LOGS = {
  session: {
    table: 'audits_session_entry',
    kinds: {
      session: {
        begins: 12,
        learnt: { 16: false, 17: null },
        dated: (values, date) => values[15] ?? date,
      },
      session_event: { dated: (values) => values[6] },
      session_sharing: { dated: (values) => values[6] },
      session_join: { begins: 8, dated: (values) => values[10] ?? values[7] },
      forwarded: { begins: 13, dated: (values) => values[17] ?? values[10] },
    },
    now: `
      SELECT 'session' AS kind, s.id AS row_id, s.date_start AS date, NOT s.is_finished AS stays,
        (jsonb_build_array(s.id, s.org_id,
          CASE WHEN s.arrived_from IS NOT NULL THEN jsonb_build_array(s."user", s.on_behalf_of, s.arrived_from)
            WHEN s.on_behalf_of IS NULL THEN to_jsonb(s."user") ELSE jsonb_build_array(s."user", s.on_behalf_of) END,
          s.asset, s.system_user, s.user_id, s.asset_id, s.target_family,
          s.system_user_id, s.login_from, s.date_start, s.sign_in_id)
        || CASE WHEN s.is_finished THEN jsonb_build_array(s.is_success, s.protocol, s.remote_addr, s.date_end, s.has_replay,
          s.replay_sha256) ELSE '[]' END || jsonb_build_array(jsonb_build_object('terminal', s.terminal)))::text AS body
      FROM terminal_session s
      UNION ALL SELECT 'session_event', e.id, s.date_start, true,
        CASE WHEN e.org_id = s.org_id
          THEN jsonb_build_array(e.id, e.session, e.event, e."user", e.remote_addr, e.reason, e.date_created)::text
          ELSE 'of another organization' END
      FROM terminal_session_event e JOIN terminal_session s ON s.id = e.session
      UNION ALL SELECT 'session_sharing', h.id, s.date_start, true,
        jsonb_build_array(h.id, h.org_id, h.session, h.created_by, h.action_permission, h.expired_time, h.date_created,
          jsonb_build_object('creator', h.creator))::text
      FROM terminal_session_sharing h JOIN terminal_session s ON s.id = h.session
      UNION ALL SELECT 'session_join', j.id, s.date_start, true,
        (jsonb_build_array(j.id, j.org_id, j.session, j.sharing, j.joiner_display, j.remote_addr, j.login_from, j.date_joined)
        || CASE WHEN j.is_finished THEN jsonb_build_array(j.is_success, j.reason, j.date_left) ELSE '[]' END
        || jsonb_build_array(jsonb_build_object('joiner', j.joiner)))::text
      FROM terminal_session_join_record j JOIN terminal_session s ON s.id = j.session
      UNION ALL SELECT 'forwarded', f.id, coalesce(s.date_start, f.date_start), coalesce(NOT s.is_finished, false),
        CASE WHEN s.id IS NULL OR f.org_id = s.org_id
          THEN (jsonb_build_array(f.id, f.org_id, f.session_id, f."user", f.user_id, f.asset, f.asset_id, f.system_user,
              f.remote_addr, f.destination, f.date_start, f.sign_in_id, f.on_behalf_of)
            || CASE WHEN f.outcome = 'open' THEN '[]'
              ELSE jsonb_build_array(f.outcome, f.reason, f.bytes_sent, f.bytes_received, f.date_end) END)::text
          ELSE 'of another organization' END
      FROM terminal_forwarded_connection f LEFT JOIN terminal_session s ON s.id = f.session_id`,
  },
  command: {
    table: 'audits_command_entry',
    kinds: { command: { dated: (_, date) => date }, statement: {} },
    batches: { commands: 'command', statements: 'statement' },
    now: `
      SELECT 'command' AS kind, c.id AS row_id, to_timestamp(c.timestamp) AS date, false AS stays,
        ${hashed(`jsonb_build_array(c.id, c.org_id, c."user", c.asset, c.system_user, c.input, c.output, c.session,
          c.risk_level, c.rule, c.rule_filter, c.ticket, c.timestamp)::text`)} AS body
      FROM terminal_command c
      UNION ALL SELECT 'statement', s.command, to_timestamp(c.timestamp), false,
        ${hashed(`jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows, s.error, s.code, s.database,
          s.program)::text`)}
      FROM terminal_statement s JOIN terminal_command c ON c.id = s.command`,
  },
  command_execution: {
    table: 'audits_execution_entry',
    kinds: {
      execution: { begins: 9, dated: (values) => values[11] ?? values[8] },
      outcome: { partOf: 'execution' },
    },
    now: `
      SELECT 'execution' AS kind, e.id AS row_id, e.date_created AS date, false AS stays,
        (jsonb_build_array(e.id, e.org_id, e.user_id,
          CASE WHEN e.on_behalf_of IS NULL THEN to_jsonb(e."user") ELSE jsonb_build_array(e."user", e.on_behalf_of) END,
          e.remote_addr, e.run_as, e.run_as_display, e.command, e.date_created)
        || CASE WHEN e.is_finished THEN jsonb_build_array(e.error, e.date_start, e.date_finished) ELSE '[]' END
        || jsonb_build_array(jsonb_build_object('runbook', e.runbook, 'runbook_display', e.runbook_display, 'handed',
          e.handed)))::text AS body
      FROM ops_command_execution e
      UNION ALL SELECT 'outcome', md5(h.execution::text || h.asset)::uuid, e.date_created, false,
        (jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error, ${hashed('h.stdout')},
          ${hashed('h.stderr')}) || CASE WHEN h.command IS NULL THEN '[]' ELSE jsonb_build_array(h.command) END
        || jsonb_build_array(jsonb_build_object('ticket', h.ticket, 'milliseconds', h.milliseconds)))::text
      FROM ops_command_execution_host h JOIN ops_command_execution e ON e.id = h.execution
      WHERE h.state NOT IN ('waiting', 'held', 'running')`,
  },
  ticket: {
    table: 'audits_ticket_entry',
    kinds: { ticket: { leadsTo: isLaterTicket }, ticket_comment: { dated: (values) => values[5] } },
    now: `
      SELECT 'ticket' AS kind, t.id AS row_id, t.date_created AS date, false AS stays,
        jsonb_build_array(t.id, t.org_id, t.type, t.title, t.applicant_display, t.meta, t.comment, t.serial_num,
          t.time_zone, t.date_created, t.state, t.status, t.approval_step, t.process_map, t.amended,
          jsonb_build_object('applicant', t.applicant))::text AS body
      FROM tickets_ticket t
      UNION ALL SELECT 'ticket_comment', c.id, c.date_created, false,
        jsonb_build_array(c.id, c.ticket, c.user_display, c.body, c.action, c.date_created,
          jsonb_build_object('user', c."user"))::text
      FROM tickets_comment c`,
  },
  task_run: {
    table: 'audits_run_entry',
    kinds: {
      task_run: { begins: 5, dated: (values) => values[6] ?? values[4] },
      task_outcome: { partOf: 'task_run' },
    },
    now: `
      SELECT 'task_run' AS kind, e.id AS row_id, e.date_start AS date, NOT e.is_finished AS stays,
        (jsonb_build_array(e.id, e.org_id, e.task_display, e.hosts_amount, e.date_start)
        || CASE WHEN e.is_finished THEN jsonb_build_array(e.is_success, e.date_finished) ELSE '[]' END
        || jsonb_build_array(jsonb_build_object('task', e.task, 'adhoc', e.adhoc)))::text AS body
      FROM ops_adhoc_execution e
      UNION ALL SELECT 'task_outcome', md5(h.execution::text || h.asset)::uuid, e.date_start, true,
        jsonb_build_array(h.execution, h.asset, h.name, h.is_success, ${hashed('h.results::text')})::text
      FROM ops_adhoc_execution_host h JOIN ops_adhoc_execution e ON e.id = h.execution`,
  },
}
const ALL_LOGS = [...Object.keys(LOGS), ...Object.keys(ENTRY_LOGS)]
/** What rows refer to, which is emptied where that is deleted. */
const REFERENCES = new Set(['terminal', 'creator', 'joiner', 'runbook', 'applicant', 'user', 'task', 'adhoc'])

/**
 * What Sallyport alone can say of a row, signed with the key of the roots: it is kept in a storage outside from now on; it
 * went with an old version of its task; this is what it says from now on, by the SHA-256 of its values.
 */
const CLAIM = /^(moved|gone|amended):([^:]*)(?::(.*))?$/

const DAY_MS = 86_400_000
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')
const quoted = (names) => names.map((name) => `"${name}"`).join(', ')
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

/** Nobody's functions or tables in the place of those that are meant, and no row left out. */
const SET_UP = `SET search_path TO pg_catalog, public, pg_temp;
SET TimeZone = 'UTC';
SET row_security = off;`

const sqlOf = (log) => (ENTRY_LOGS[log] ? sqlOfEntries(ENTRY_LOGS[log]) : sqlOfRows(LOGS[log]))

/** Each entry with its row as it is now, the first of several with the entry; then rows without an entry. */
function sqlOfEntries({ table, now, batches = {} }) {
  const entry = `jsonb_build_array(${ENTRY.map((name) => `e.${name}`).join(', ')})::text`
  const isBatch = `e.kind IN (${['', ...Object.keys(batches)].map((kind) => `'${kind}'`).join(', ')})`
  const kinds = Object.entries(batches).map(([batch, kind]) => `WHEN e.kind = '${batch}' THEN '${kind}' `)
  return `${SET_UP}
WITH said AS (
  SELECT e.id, e.chain_number, e.chain_hash, part.at, CASE WHEN part.at > 1 THEN NULL ELSE ${entry} END AS entry,
    CASE ${kinds.join('')}WHEN true THEN e.kind END AS kind,
    CASE WHEN ${isBatch} THEN split_part(part.said, ' ', 1) ELSE e.row_id::text END AS row_id
  FROM ${table} e LEFT JOIN LATERAL unnest(
    CASE WHEN ${isBatch} THEN string_to_array(e.body, E'\\n') ELSE '{""}' END) WITH ORDINALITY AS part (said, at) ON true)
SELECT jsonb_build_array(said.chain_number, encode(said.chain_hash, 'hex'), said.entry,
  now.kind, now.row_id, now.body, now.date, now.stays, said.at)
FROM said FULL JOIN (${now}) now ON now.kind = said.kind AND now.row_id::text = said.row_id
ORDER BY said.chain_number NULLS LAST, said.id, said.at;`
}

const LATER = ` || CASE WHEN "arrived_from" IS NOT NULL THEN jsonb_build_array("on_behalf_of", "arrived_from")
  WHEN "on_behalf_of" IS NOT NULL THEN jsonb_build_array("on_behalf_of") ELSE '[]' END`

function sqlOfRows({ table, columns, hasLater }) {
  const more = hasLater ? LATER : ''
  const body = `(jsonb_build_array(${quoted(columns)})${more})::text`
  return `${SET_UP}
SELECT jsonb_build_array(chain_number, encode(chain_hash, 'hex'), ${body}) FROM ${table}
WHERE chain_number IS NOT NULL ORDER BY chain_number;`
}

/**
 * The roots of all files, where they hold: signed by the key, each naming the one before. Throws for the first that does
 * not, and where two files have different ones of the same number.
 */
function readRoots(files, key) {
  const found = new Map()
  for (const file of files)
    for (const root of JSON.parse(readFileSync(file, 'utf8'))) {
      const other = found.get(root.number)
      if (other && other.body !== root.body)
        throw new Error(`root ${root.number} in ${file} is another than in ${other.file}`)
      found.set(root.number, { ...root, file })
    }
  const roots = [...found.values()].sort((a, b) => a.number - b.number)
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

/** What the roots say of a log, the oldest first. */
const marksOf = (log, roots) =>
  roots
    .map(({ number, date, logs }) => ({ root: number, date: Date.parse(date), ...logs[log] }))
    .filter(({ last }) => last !== undefined)

/** What an entry says: its values, and by name what came to them later, such as what the row refers to. */
function readBody(text) {
  let values = [text]
  try {
    if (text.startsWith('[')) values = JSON.parse(text)
  } catch {
    // Nothing that Sallyport wrote.
  }
  const last = values.at(-1)
  const named = last !== null && typeof last === 'object' && !Array.isArray(last) ? values.pop() : {}
  return { values, named }
}

/** How what an entry says goes together with the row as it is now: `as it is`, `not yet`, or `otherwise`. */
function compare(text, now, { begins, learnt = {}, leadsTo }) {
  if (text === now) return 'as it is'
  const [said, is] = [readBody(text), readBody(now)]
  for (const [name, value] of Object.entries(said.named)) {
    const valueNow = is.named[name] ?? null
    if (!same(valueNow, value) && !(valueNow === null && REFERENCES.has(name))) return 'otherwise'
  }
  if (same(said.values, is.values)) return 'as it is'
  if (leadsTo) return leadsTo(said.values, is.values) ? 'not yet' : 'otherwise'
  const holds = (value, at) => same(value, is.values[at]) || (at in learnt && same(value, learnt[at]))
  const isWhole = said.values.length === is.values.length
  return (isWhole || said.values.length === begins) && said.values.every(holds) ? 'not yet' : 'otherwise'
}

/**
 * What was asked stays, nothing follows the end, what was decided at one level is not decided again, and what was amended
 * does not become what was asked.
 */
function isLaterTicket(before, after) {
  const [status, step, levels, amended] = before.slice(11)
  const [, stepNow, levelsNow, amendedNow] = after.slice(11)
  return (
    same(before.slice(0, 10), after.slice(0, 10)) &&
    status === 'open' &&
    (amended === null || amendedNow !== null) &&
    stepNow >= step &&
    Array.isArray(levels) &&
    levels.length === levelsNow.length &&
    levels.every((level, at) => level.state === 'notified' || same(level, levelsNow[at]))
  )
}

/** Rows as their entries say that they are: what is wrong first, once all were seen. */
class Rows {
  /** By row: what its entries say that it does not say itself. */
  #doubtful = new Map()
  /** Runs that are over. */
  #over = new Set()
  #wrong = []
  #inserted
  #kinds
  #batches
  /** Content of the newest entry: of each row one [kind, row, body, date]. */
  #said = []
  #seen = 0
  #key
  #goneBefore
  counts = { moved: 0, gone: 0, amended: 0 }

  constructor({ kinds, batches = {} }, { marks, key }) {
    this.#kinds = kinds
    this.#batches = batches
    this.#key = key
    const goneBefore = marks.at(-1)?.goneBefore
    this.#goneBefore = goneBefore ? Date.parse(goneBefore) : -Infinity
  }

  /**
   * Answers when what the entry says is of, where that can be told. `at`: which row of an entry of several, from 1; the
   * `text` of the entry comes with its first one.
   */
  see(number, text, now, at) {
    if (text === null && !(at > 1)) return this.#seeAlone(now)
    if (text !== null) this.#open(number, JSON.parse(text))
    const said = this.#said[this.#seen++]
    if (!said || at !== this.#seen) {
      this.#wrong.push({ number, wrong: 'what the entry says was left out of the answer' })
      return undefined
    }
    const [kind, row, body, date] = said
    const spec = this.#kinds[kind]
    if (!spec) {
      this.#wrong.push({ number, wrong: `${kind} ${row} is of no kind that this log has` })
      return undefined
    }
    const claim = CLAIM.exec(body)
    if (claim) return this.#seeClaim(number, { kind, row, claim, now: now.body })
    if (now.body === null) this.#seeWithout(number, { kind, row, body, date })
    else this.#seeBoth(number, { kind, row, body, now: now.body, spec })
    const { values } = readBody(body)
    if (values.length > spec.begins) this.#over.add(`${kind} ${row}`)
    if (spec.partOf && this.#over.has(`${spec.partOf} ${values[0]}`))
      this.#wrong.push({ number, wrong: `${nameOf(kind, row, body)} was added after the end` })
    return spec.dated?.(values, date)
  }

  /** Another entry, once all of the one before was seen. */
  #open(number, [, kind, row, body, date]) {
    if (this.#seen < this.#said.length)
      this.#wrong.push({ number: number - 1, wrong: 'rows of the entry were left out of the answer' })
    this.#seen = 0
    const of = this.#batches[kind]
    this.#said = of ? partsOf(body).map((part) => [of, ...part]) : [[kind, row, body, date]]
  }

  /** A row of which nothing is chained. */
  #seeAlone({ kind, row, body, date, stays }) {
    // What goes on while retention is there loses its entries.
    if (!stays || Date.parse(date) >= this.#goneBefore)
      this.#inserted ??= `${nameOf(kind, row, body)} was inserted: nothing was chained of it`
  }

  #seeClaim(number, { kind, row, claim: [body, what, of, signature], now }) {
    const isKnown = signature && isClaimSigned(body, { kind, row }, this.#key)
    if (!isKnown) this.#wrong.push({ number, wrong: `${kind} ${row}: Sallyport did not say that it was ${what}` })
    else if (what !== 'amended' || (now !== null && of === sumOfValues(now))) {
      this.counts[what]++
      // What belongs to a command went with it.
      for (const of of what === 'moved' ? Object.keys(this.#kinds) : [kind]) this.#doubtful.delete(`${of} ${row}`)
    }
  }

  #seeWithout(number, { kind, row, body, date }) {
    const key = `${kind} ${row}`
    if (this.#doubtful.has(key) || Date.parse(date) < this.#goneBefore) return
    // All entries of it are in doubt, and the first one names it.
    this.#doubtful.set(key, { number, wrong: `${nameOf(kind, row, body)} was removed` })
  }

  #seeBoth(number, { kind, row, body, now, spec }) {
    const key = `${kind} ${row}`
    const name = nameOf(kind, row, body)
    const before = this.#doubtful.get(key)
    const found = compare(body, now, spec)
    if (found === 'not yet') this.#doubtful.set(key, { ...before, number, wrong: `${name} was changed` })
    else if (found === 'otherwise') {
      const since = before?.since ?? sinceWhen(body, spec)
      this.#doubtful.set(key, { number, wrong: `${name} was changed`, since })
    } else if (before?.since === undefined) this.#doubtful.delete(key)
    else this.#doubtful.set(key, { ...before, number, wrong: `${name} was changed after ${before.since}` })
  }

  wrong() {
    if (this.#seen < this.#said.length)
      this.#wrong.push({ wrong: 'rows of the last entry were left out of the answer' })
    const found = [...this.#doubtful.values(), ...this.#wrong]
    const first = found.sort((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity))[0]
    return first ? `${first.wrong} (row ${first.number ?? 'not chained yet'})` : this.#inserted
  }
}

/** Id, SHA-256 and date (ISO 8601) of each row of an entry of several. */
const partsOf = (body) =>
  body.split('\n').map((line) => {
    const [row, seconds, sum = ''] = line.split(' ')
    const date = new Date(Number(seconds) * 1000)
    return [row, sum, Number.isNaN(date.getTime()) ? undefined : date.toISOString()]
  })

function sinceWhen(body, { begins, leadsTo }) {
  const { values } = readBody(body)
  if (leadsTo ? values[11] === 'open' : values.length === begins) return 'it began'
  return leadsTo || begins ? 'it was over' : 'it was written'
}

/** `claim` ends in its signature. */
function isClaimSigned(claim, { kind, row }, key) {
  const at = claim.lastIndexOf(':')
  const [said, signature] = [claim.slice(0, at), claim.slice(at + 1)]
  return verify(null, Buffer.from(`${said}\n${kind}\n${row}`), key, Buffer.from(signature, 'base64'))
}

const sumOfValues = (body) => sha256(JSON.stringify(readBody(body).values))

function nameOf(kind, row, body) {
  if (!kind.endsWith('outcome')) return `${kind} ${row}`
  const [execution, asset, name] = readBody(body).values
  return `${kind} of ${execution} on ${name || asset}`
}

/** The lines of a file, as they were asked for. */
async function* linesOf(file) {
  for await (const line of createInterface({ input: createReadStream(file) })) if (line) yield JSON.parse(line)
}

/** What is wrong with a log first; undefined for nothing. */
async function check(log, file, roots, key) {
  const marks = marksOf(log, roots)
  const newest = marks.at(-1)
  const kept = ENTRY_LOGS[log] && new Rows(ENTRY_LOGS[log], { marks, key })
  const dated = LOGS[log]?.columns.indexOf(LOGS[log].dated)
  let number
  let hash
  let rows = 0
  let held = 0
  let signed = -Infinity
  const late = { count: 0 }
  /** Root before the entry. */
  let signedBefore = signed
  const seeLate = (of) => {
    if (!of || Date.parse(of) >= signedBefore - DAY_MS) return
    late.first ??= number
    late.count++
  }
  for await (const [found, stored, body, kind, row, content, date, stays, at] of linesOf(file)) {
    const of = kept ? kept.see(found, body, { kind, row, body: content, date, stays }, at) : JSON.parse(body)[dated]
    // Written within the last minute.
    if (found === null) continue
    if (at > 1) {
      seeLate(of)
      continue
    }
    if (number === undefined) {
      // Retention removes from the beginning: where the chain begins now, a root has to say.
      const start = found === 1 ? { firstHash: '' } : marks.findLast(({ first }) => first === found - 1)
      if (!start) return { rows, wrong: `rows before ${found} were removed, and no root says that they might be` }
      if (newest && found <= newest.first) return { rows, wrong: `row ${found} was put before the first one` }
      number = found - 1
      hash = start.firstHash
      signed = marks.findLast(({ last }) => last <= number)?.date ?? signed
    }
    number++
    if (found !== number)
      return { rows, wrong: found > number ? `row ${number} was removed` : `row ${found} was inserted` }
    hash = sha256(hash, '\n', body)
    if (hash !== stored) return { rows, wrong: `row ${number} was changed, or put in the place of another` }
    signedBefore = signed
    seeLate(of)
    for (const mark of marks)
      if (mark.last === number) {
        if (mark.lastHash !== hash)
          return {
            rows,
            wrong: `a row from ${held + 1} to ${number} was changed, with all hashes after it (root ${mark.root})`,
          }
        held = number
        signed = mark.date
      }
    rows++
  }
  const end = number ?? newest?.first ?? 0
  if (newest && newest.last > end) return { rows, wrong: `row ${end + 1} was removed, and all after it` }
  return { rows, held, wrong: kept?.wrong(), late, ...kept?.counts }
}

/** What is to be known of a log that holds. */
function remarksOn({ moved, gone, amended, late }) {
  return [
    moved && `${moved} are in storages outside`,
    gone && `${gone} went with old versions of their tasks`,
    amended && `${amended} were amended by Sallyport`,
    late.count && `${late.count} came more than a day after their time, the first as row ${late.first}`,
  ]
    .filter(Boolean)
    .map((remark) => `; ${remark}`)
    .join('')
}

/** Session → checksum of its recording: the first that was chained, or what Sallyport said itself that it is since. */
async function chainedRecordings(log, key) {
  const sums = new Map()
  /** By session and what an entry says: the checksum in it. */
  const said = new Map()
  for await (const [, , entry] of linesOf(log)) {
    const [, kind, row, body] = entry ? JSON.parse(entry) : []
    if (kind !== 'session') continue
    const [, what, of, signature] = CLAIM.exec(body) ?? []
    if (what === 'amended' && signature && key && isClaimSigned(body, { kind, row }, key))
      sums.set(row, said.get(`${row} ${of}`) ?? sums.get(row))
    if (what) continue
    const sum = readBody(body).values[ENTRY_LOGS.session.kinds.session.begins + 5]
    if (!sum) continue
    said.set(`${row} ${sumOfValues(body)}`, sum)
    if (!sums.has(row)) sums.set(row, sum)
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

async function checkRecordings(log, files, { roots, key }) {
  if (key) await report(log, roots, key)
  const sums = await chainedRecordings(log, key)
  for (const file of files) {
    const name = basename(file)
    const sum = sums.get(name.split('.')[0])
    const holds = sum && sum === (await sumOf(file).catch(() => undefined))
    console.log(`${name}: ${holds ? 'holds' : sum ? 'was changed' : 'no checksum of it was chained'}`)
    if (!holds) process.exitCode = 1
  }
}

async function report(file, roots, key) {
  const log = basename(file)
  if (!ALL_LOGS.includes(log)) throw new Error(`${log} is no log`)
  const { rows, held, wrong, ...more } = await check(log, file, roots, key)
  console.log(`${log}: ${wrong ?? `${rows} rows hold, signed up to row ${held}${remarksOn(more)}`}`)
  if (wrong) process.exitCode = 1
}

/** What follows `--roots` and all that ends in .json, what follows `--key`, and the rest. */
function readParameters(parameters) {
  const [rootFiles, files] = [[], []]
  let keyFile
  for (let at = 0; at < parameters.length; at++) {
    if (parameters[at] === '--key') keyFile = parameters[++at]
    else if (parameters[at] === '--roots') rootFiles.push(parameters[++at])
    else (parameters[at].endsWith('.json') ? rootFiles : files).push(parameters[at])
  }
  const key = keyFile && createPublicKey(readFileSync(keyFile, 'utf8'))
  return { roots: key && rootFiles.length ? readRoots(rootFiles, key) : [], hasRoots: rootFiles.length > 0, key, files }
}

/** Records of access reviews: signed over these words and their body. */
function checkReviews(parameters) {
  const at = parameters.indexOf('--key')
  if (at < 0 || !parameters[at + 1]) throw new Error('--key is missing')
  const key = createPublicKey(readFileSync(parameters[at + 1], 'utf8'))
  for (const file of parameters.toSpliced(at, 2)) {
    const { body = '', signature = '' } = JSON.parse(readFileSync(file, 'utf8'))
    const holds = verify(null, Buffer.from(`access review ${body}`), key, Buffer.from(signature, 'base64'))
    const sha256 = createHash('sha256').update(body).digest('hex')
    console.log(`${basename(file)}: ${holds ? `holds, SHA-256 ${sha256}` : 'was changed, or signed with another key'}`)
    if (!holds) process.exitCode = 1
  }
}

async function main([what, ...parameters]) {
  if (what === 'sql' && ALL_LOGS.includes(parameters[0])) return console.log(sqlOf(parameters[0]))
  if (what === 'review') return checkReviews(parameters)
  if (what !== 'check' && what !== 'recording')
    throw new Error(
      `sql LOG, check --roots FILE… --key FILE LOG…, recording [--roots FILE… --key FILE] LOG FILE…, or review --key FILE FILE…; logs: ${ALL_LOGS.join(' ')}`,
    )
  const { roots, hasRoots, key, files } = readParameters(parameters)
  if (what === 'recording' && !hasRoots && !key) return checkRecordings(files[0], files.slice(1), { roots })
  if (!hasRoots) throw new Error('--roots is missing')
  if (!key) throw new Error('--key is missing')
  console.log(`${roots.length} roots are signed; the newest is of ${roots.at(-1)?.date ?? 'no day'}`)
  if (what === 'recording') return checkRecordings(files[0], files.slice(1), { roots, key })
  for (const file of files) await report(file, roots, key)
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
