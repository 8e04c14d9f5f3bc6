import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import { ALL_SETTINGS, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { migrationState } from '../database/migrate.ts'
import { packFiles } from '../files/zip.ts'
import { LINE_LENGTH, LOG_LINES } from '../log-tail.ts'
import type { Place } from './check.ts'
import { lineOf } from './line-of.ts'
import { isSecretName, maskWith } from './mask.ts'
import type { ShownFinding } from './run-checks.ts'

const TABLES = 200
/** The longest value of a setting that people write. */
const TEXT_LENGTH = 200
/** Files of the data directory that hold a secret as text. */
const SECRET_FILES = ['secret.key', 'admin-password.txt']

const README = `Support archive of Sallyport (docs/doctor.md)

findings.txt    what the checks found, worst first; findings.json has the same for programs
versions.json   of Sallyport, Node and the libraries in it
settings.json   settings by name; secrets and free JSON only say whether they are set
database.json   version, settings, migrations, sizes of tables, connections
log.txt         the last lines of the log, where there is one

Secrets are left out. Passwords and keys of accounts are never read for this archive. Names of hosts,
users and folders are in it: look through it before you pass it on.
`

/** A setting that is read at start, with its value. */
export interface StartSetting {
  name: string
  value: unknown
}

export interface ArchiveParts {
  /** Undefined where the settings are so wrong that there is none. */
  place: Place | undefined
  /** By the name of each node. */
  findings: Readonly<Record<string, readonly ShownFinding[]>>
  /** Every setting of the start. */
  startSettings: readonly StartSetting[]
  log: readonly string[]
}

/** An archive for those who support the installation, without secrets. A part that cannot be had says why. */
export async function supportArchive(parts: ArchiveParts): Promise<Buffer> {
  const { place, findings, startSettings, log } = parts
  const settings = await orWhy(() => place?.settings())
  const mask = maskWith(await secretsOf(place?.config, startSettings, settings.value))
  // Each text by itself, so that it stays JSON.
  const json = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'string' ? mask(one) : one), 2)
  const database = await orWhy(() => place && describeDatabase(place))
  const files: Record<string, string> = {
    'README.txt': README,
    'findings.txt': mask(textOf(findings)),
    'findings.json': json(findings),
    'versions.json': json({ sallyport: PRODUCT_VERSION, date: new Date().toISOString(), ...process.versions }),
    'settings.json': json({
      start: Object.fromEntries(startSettings.map(({ name, value }) => [name, shownValue(name, value)])),
      console: settings.value ? consoleSettings(settings.value) : settings.why,
    }),
    'database.json': json(database.value ?? database.why),
    'log.txt': mask(
      log
        .slice(-LOG_LINES)
        .map((line) => line.trimEnd().slice(0, LINE_LENGTH))
        .join('\n'),
    ),
  }
  return packFiles(Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) })))
}

async function orWhy<T>(work: () => Promise<T> | undefined): Promise<{ value?: T; why?: string }> {
  try {
    const value = await work()
    return value === undefined ? { why: 'The settings are wrong.' } : { value }
  } catch (error) {
    return { why: lineOf(error) }
  }
}

function textOf(findings: ArchiveParts['findings']): string {
  return Object.entries(findings)
    .map(([node, all]) =>
      [
        `== ${node}`,
        ...all.map(
          ({ name, subject, state, words, mend }) =>
            `${state.toUpperCase()} ${name}${subject && ` (${subject})`}: ${words}${mend && `\n    ${mend}`}`,
        ),
      ].join('\n'),
    )
    .join('\n\n')
}

/** Values of secrets are only said to be there. */
function shownValue(name: string, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return null
  return isSecretName(name) ? '(set)' : value
}

/** Those that differ from their defaults: what is secret, or JSON of any kind, only by name. */
function consoleSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(ALL_SETTINGS).flatMap(([name, field]) => {
      const value = settings[name as SettingName] as unknown
      if (JSON.stringify(value) === JSON.stringify(field.default)) return []
      const isHidden = 'writeOnly' in field || field.type === 'object' || isSecretName(name)
      if (isHidden && typeof value !== 'boolean' && typeof value !== 'number')
        return [[name, value === '' || value === null ? null : '(set)']]
      return [[name, typeof value === 'string' ? value.slice(0, TEXT_LENGTH) : value]]
    }),
  )
}

/** Everything that must not be in the archive, as far as this process knows it. */
async function secretsOf(
  config: Config | undefined,
  startSettings: readonly StartSetting[],
  settings: Settings | undefined,
): Promise<string[]> {
  const ofStart = startSettings.filter(({ name }) => isSecretName(name)).map(({ value }) => value)
  const ofEnvironment = Object.entries(process.env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
  const both = [...Object.entries(config?.settings ?? {}), ...Object.entries(settings ?? {})]
  const ofConsole = both.flatMap(([name, value]) =>
    'writeOnly' in ALL_SETTINGS[name as SettingName] || isSecretName(name) ? [value] : [],
  )
  const files = await Promise.all(
    config ? SECRET_FILES.map((name) => readFile(join(config.dataDirectory, name), 'utf8').catch(() => '')) : [],
  )
  return [
    ...[...ofStart, ...ofEnvironment, ...ofConsole, ...files].filter((one) => typeof one === 'string'),
    ...passwordsOf(config?.databaseUrl),
  ]
}

/** As written, and as they are sent. */
function passwordsOf(address: string | undefined): string[] {
  const url = address ? URL.parse(address) : null
  if (!url) return []
  return [url.password, decodeURIComponent(url.password), ...url.searchParams.values()]
}

async function describeDatabase(place: Place): Promise<unknown> {
  const { pool } = await place.database()
  const rowsOf = async (statement: string) => (await pool.query<pg.QueryResultRow>(statement)).rows
  return {
    version: await rowsOf('SELECT version()'),
    settings:
      await rowsOf(`SELECT name, setting, unit FROM pg_settings WHERE name IN ('max_connections', 'shared_buffers',
      'server_encoding', 'lc_collate', 'TimeZone', 'wal_level', 'fsync', 'synchronous_commit', 'work_mem', 'ssl') ORDER BY name`),
    migrations: await migrationState(pool),
    size: await rowsOf('SELECT pg_database_size(current_database())::bigint AS bytes'),
    tables: await rowsOf(`SELECT relname AS table, n_live_tup AS rows, pg_total_relation_size(relid) AS bytes,
      greatest(last_vacuum, last_autovacuum) AS vacuumed FROM pg_stat_user_tables
      ORDER BY pg_total_relation_size(relid) DESC, relname LIMIT ${TABLES}`),
    connections: await rowsOf(`SELECT state, wait_event_type, count(*)::int AS count,
      max(extract(epoch FROM now() - xact_start))::int AS longest_transaction_seconds FROM pg_stat_activity
      WHERE datname = current_database() GROUP BY state, wait_event_type ORDER BY count(*) DESC`),
  }
}
