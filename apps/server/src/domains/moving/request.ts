import { isIP } from 'node:net'
import {
  MOVE_ENCRYPTION,
  MOVE_ENGINES,
  MOVE_TASKS,
  type MoveEncryption,
  type MoveEngine,
  type MoveTask,
} from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { z } from 'zod'
import { bareHost } from '../../kernel/bare-host.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { MoveOrder } from './order.ts'

/** Names of hosts and databases are no longer; a configuration of theirs has some hundred lines. */
const LONGEST_NAME = 255
const LONGEST_KEY = 262_144
const MOST_KEYS = 5
const PORTS: Readonly<Record<MoveEngine, number>> = { mysql: 3306, postgres: 5432 }

/** Secrets are in the body alone, and for this run alone. */
export const moveBody = z.object({
  task: z.enum(MOVE_TASKS),
  engine: z.enum(MOVE_ENGINES).default('mysql'),
  host: z.string().max(LONGEST_NAME).default(''),
  port: z.int().min(1).max(65_535).nullish(),
  database: z.string().max(LONGEST_NAME).default(''),
  username: z.string().max(LONGEST_NAME).default(''),
  password: z.string().max(1024).default(''),
  encryption: z.enum(MOVE_ENCRYPTION).default('none'),
  secret_keys: z.array(z.string().max(LONGEST_KEY)).max(MOST_KEYS).default([]),
  history_from: z.string().max(10).default(''),
  with_addresses: z.boolean().default(false),
  with_jobs: z.boolean().default(false),
  installation: z.string().max(LONGEST_NAME).default(''),
})
type MoveBody = z.infer<typeof moveBody>

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?\.?$/u
const TAKES_BACK: ReadonlySet<MoveTask> = new Set(['try_take_back', 'take_back'])
const NEEDS_KEY: ReadonlySet<MoveTask> = new Set(['look', 'try', 'import'])

/** The end of an address, by which each driver knows about encryption (docs/moving-from-jumpserver.md). */
const ADDRESS_ENDS: Readonly<Record<MoveEngine, Readonly<Record<MoveEncryption, string>>>> = {
  mysql: { none: '', unchecked: '?tls=unverified', checked: '?tls=true' },
  postgres: { none: '?sslmode=disable', unchecked: '?sslmode=no-verify', checked: '?sslmode=verify-full' },
}

export type AskedMove = Pick<
  MoveOrder,
  'task' | 'address' | 'keys' | 'installation' | 'historyFrom' | 'withAddresses' | 'withJobs'
>

/** Checks the body of a caller. Throws 400 with the words under the fields. */
export function readMove(sent: unknown): AskedMove & { source: string } {
  const body = moveBody.parse(sent)
  const { task, history_from: historyFrom, installation } = body
  const rest = { withAddresses: body.with_addresses, withJobs: body.with_jobs, historyFrom: '', installation: '' }
  if (TAKES_BACK.has(task)) return { ...rest, task, installation, address: '', keys: [], source: installation }
  const wrong: Record<string, string> = {}
  const host = bareHost(body.host.trim())
  if (!host) wrong.host = 'This field is required.'
  else if (!isIP(host) && !NAME.test(host)) wrong.host = 'Enter a host name or an IP address.'
  for (const field of ['database', 'username'] as const) if (!body[field]) wrong[field] = 'This field is required.'
  const keys = body.secret_keys.filter((key) => key.trim())
  if (NEEDS_KEY.has(task) && !keys.length) wrong.secret_keys = 'This field is required.'
  if (historyFrom && !isDay(historyFrom)) wrong.history_from = 'Enter a day such as 2026-01-31.'
  if (Object.keys(wrong).length) throw invalid(wrong)
  const { address, source } = addressOf(host, body)
  return { ...rest, task, historyFrom, keys, address, source }
}

function addressOf(host: string, body: MoveBody): { address: string; source: string } {
  const { engine, port, database, username, password, encryption } = body
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port ?? PORTS[engine]}`
  const [user, secret, name] = [username, password, database].map(encodeURIComponent)
  return {
    address: `${engine}://${user}:${secret}@${place}/${name}${ADDRESS_ENDS[engine][encryption]}`,
    source: `${engine}://${username}@${place}/${database}`,
  }
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}
