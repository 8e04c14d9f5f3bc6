#!/usr/bin/env node
/**
 * Checks the audit logs of Sallyport without Sallyport (docs/audit-proof.md). Node 20 or later, nothing else.
 *
 *   node verify-audits.mjs sql operate_log | psql -qAtX "$DATABASE_URL" > operate_log
 *   node verify-audits.mjs check --roots roots.json --key root-key.pem operate_log login_log …
 *
 * A file has the name of its log. `roots.json` is what `GET /api/v1/audits/roots/` answered, kept from day to day where
 * the database is not. Exit code 1: something is wrong, and the first of it is named for each log.
 */
import { createHash, verify } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'

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

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')
const quoted = (names) => names.map((name) => `"${name}"`).join(', ')

function sqlOf(log) {
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
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line) continue
    const [found, stored, body] = JSON.parse(line)
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
  return { rows, held }
}

function optionOf(parameters, name) {
  const at = parameters.indexOf(name)
  if (at < 0) throw new Error(`${name} is missing`)
  return parameters.splice(at, 2)[1]
}

async function main([what, ...parameters]) {
  if (what === 'sql' && LOGS[parameters[0]]) return console.log(sqlOf(parameters[0]))
  if (what !== 'check')
    throw new Error(`sql LOG, or check --roots FILE --key FILE LOG…; logs: ${Object.keys(LOGS).join(' ')}`)
  const key = readFileSync(optionOf(parameters, '--key'), 'utf8')
  const roots = readRoots(optionOf(parameters, '--roots'), key)
  console.log(`${roots.length} roots are signed; the newest is of ${roots.at(-1)?.date ?? 'no day'}`)
  for (const file of parameters) {
    const log = basename(file)
    if (!LOGS[log]) throw new Error(`${log} is no log`)
    const { rows, wrong, held } = await check(log, file, roots)
    console.log(wrong ? `${log}: ${wrong}` : `${log}: ${rows} rows hold, signed up to row ${held}`)
    if (wrong) process.exitCode = 1
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
