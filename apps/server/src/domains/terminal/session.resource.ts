import { session } from '@sallyport/contract/resources/terminal/session.ts'
import { familyOf } from '@sallyport/contract/target.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { forbidden } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { dateRange } from '../../kernel/resource/lists/date-range.ts'
import { listRows } from '../../kernel/resource/lists/list.ts'
import type { DeleteContext, ReadContext, WriteContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { presentOne } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../kernel/resource/routes.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { chainAmendedSessions } from '../audits/index.ts'
import { countOutside } from './commands/command-source.ts'
import { keepFacts, keepStored } from './evidence/kept-values.ts'
import { ownTerminal, requireOwn } from './evidence/own-terminal.ts'
import { STATEMENTS } from './replay-suffix.ts'
import { wasEndedForItsNode } from './session-lifecycle.ts'
import { terminalCommand, terminalSession } from './tables.ts'

type Writing = WriteContext<typeof session, typeof terminalSession>
type Written = WrittenContext<typeof session, typeof terminalSession>
type Deleting = DeleteContext<typeof terminalSession>

/**
 * Risk level of a command that a rule denied, or that was not confirmed
 * (docs/rules/terminal.md#session).
 */
const DANGEROUS = 5

export type StoredSession = typeof terminalSession.$inferSelect

/** A session's row; undefined where there is none. */
export async function findSession(db: Database, id: string): Promise<StoredSession | undefined> {
  const [found] = await db.select().from(terminalSession).where(eq(terminalSession.id, id))
  return found
}

export default function mountSession(kernel: Kernel): void {
  mountResource(kernel, session, {
    table: terminalSession,
    filters: dateRange(terminalSession.date_start),
    computed: [
      {
        fields: ['can_replay', 'can_join', 'can_terminate'],
        load: async (rows) =>
          rows.map((row) => ({
            can_replay: row.has_replay && row.replay_suffix !== STATEMENTS,
            can_join: isJoinable(row),
            can_terminate: !row.is_finished,
          })),
      },
      { fields: ['command_amount'], load: (rows, context) => loadCommandAmounts(context, rows) },
      { fields: ['risk_level', 'risk_level_display'], load: (rows, context) => loadRiskLevels(context, rows) },
    ],
    // What gateways write of themselves is no change that a person made.
    unaudited: true,
    rules: {
      beforeWrite: [ownOnly, keepBeginning, keepEnd, nameFamily, closeWhenFinished],
      afterWrite: [amendEnd],
      beforeDelete: [keepRows],
    },
  })
}

/**
 * GET and POST terminals/{terminal_id}/sessions/: the same list under an address of older gateways;
 * the id in it narrows nothing (docs/rules/terminal.md#session).
 */
export function registerSessionsOfTerminal(kernel: Kernel, sessions: MountedResource<typeof terminalSession>): void {
  const { app } = kernel
  const url = '/api/v1/terminal/terminals/:terminal_id/sessions/'
  app.route({
    method: 'GET',
    url,
    config: {
      access: session.permission.list,
      summary: 'Session: list (old address)',
      rows: session,
      answers: 'rows or page',
    },
    handler: (request, reply) => listRows(sessions, contextOf(kernel, request), request, reply),
  })
  app.route({
    method: 'POST',
    url,
    config: {
      access: session.permission.write,
      summary: 'Session: create (old address)',
      answerStatus: 201,
      rows: session,
      takes: session,
    },
    handler: async (request, reply) => {
      const context = contextOf(kernel, request)
      const stored = await createRow(sessions, request.body, context)
      return reply.status(201).send(await presentOne(sessions, stored, context))
    },
  })
}

/** Protocols whose sessions can be watched (docs/rules/terminal.md#session); */
const JOINABLE_PROTOCOLS = new Set(['ssh', 'vnc', 'rdp', 'telnet', 'k8s'])
/** and those that can where somebody sits at a terminal, and not at a client of their own. */
const JOINABLE_IN_TERMINALS = new Set(['mysql', 'mariadb', 'postgresql', 'redis', 'sqlserver', 'oracle'])

/** Whether a session can be watched or shared while it runs. */
export function isJoinable({
  is_finished,
  login_from,
  protocol,
}: Pick<StoredSession, 'is_finished' | 'login_from' | 'protocol'>): boolean {
  if (is_finished || login_from === 'RT') return false
  return JOINABLE_PROTOCOLS.has(protocol) || (login_from !== 'DT' && JOINABLE_IN_TERMINALS.has(protocol))
}

async function loadCommandAmounts(
  { db, kernel }: ReadContext,
  rows: readonly StoredSession[],
): Promise<{ command_amount: number }[]> {
  const ids = rows.map((row) => row.id)
  const [elsewhere, counts] = await Promise.all([
    countOutside(kernel, ids),
    db
      .select({ session: terminalCommand.session, amount: sql<number>`count(*)::int` })
      .from(terminalCommand)
      .where(sql`${terminalCommand.session} = ANY(${sql.param(ids)}::text[])`)
      .groupBy(terminalCommand.session),
  ])
  const amounts = new Map(counts.map((row) => [row.session, row.amount]))
  return ids.map((id) => ({ command_amount: (amounts.get(id) ?? 0) + (elsewhere.get(id) ?? 0) }))
}

/** Whether a session had dangerous commands, wherever they are kept. */
async function loadRiskLevels(
  { db, kernel, call }: ReadContext,
  rows: readonly StoredSession[],
): Promise<Record<string, unknown>[]> {
  const ids = rows.map((row) => row.id)
  const [outside, found] = await Promise.all([
    countOutside(kernel, ids, DANGEROUS),
    db
      .selectDistinct({ session: terminalCommand.session })
      .from(terminalCommand)
      .where(
        and(
          sql`${terminalCommand.session} = ANY(${sql.param(ids)}::text[])`,
          eq(terminalCommand.risk_level, DANGEROUS),
        ),
      ),
  ])
  const dangerous = new Set([...found.map((row) => row.session), ...outside.keys()])
  return ids.map((id) => {
    const risk_level = dangerous.has(id) ? DANGEROUS : 0
    return { risk_level, risk_level_display: translate(call.language, session.fields.risk_level.choices[risk_level]) }
  })
}

/** A gateway's sessions are its own, whatever it sends; those of others it leaves alone. Throws 403. */
async function ownOnly({ draft, row, call, db }: Writing): Promise<void> {
  if (row) await requireOwn(db, call, [row])
  draft.terminal = (await ownTerminal(db, call)).id
}

/** Person, target, account and start: known as a session begins. */
const FACTS = [
  'user',
  'asset',
  'system_user',
  'user_id',
  'asset_id',
  'system_user_id',
  'login_from',
  'remote_addr',
  'protocol',
  'date_start',
] as const

/**
 * A gateway reports the outcome, end and recording of its sessions; all else is evidence that never
 * changes (docs/rules/terminal.md#session). A repeated value is no change.
 */
const keepBeginning = (writing: Writing) => keepFacts(writing, FACTS, 'This never changes once a session has begun')

/**
 * A reported end of a session stays, even if another is reported later, and so does a recording
 * once there is one. But where the server ended it for its gateway, which was lost, the gateway
 * knows better.
 */
function keepEnd({ draft, row }: Writing): void {
  if (row?.has_replay) draft.has_replay = true
  if (!row?.is_finished) return
  draft.is_finished = true
  if (!wasEndedForItsNode(row)) keepStored(draft, row, ['is_success', 'date_end'])
  else draft.date_end ??= row.date_end
}

async function amendEnd({ kernel, db, row, stored }: Written): Promise<void> {
  if (!row?.is_finished) return
  if (row.is_success !== stored.is_success || row.date_end?.getTime() !== stored.date_end?.getTime())
    await chainAmendedSessions(kernel, db, [stored.id])
}

/** Retention alone removes sessions, by the clock. Throws 403 for everybody. */
function keepRows(_: Deleting): never {
  throw forbidden()
}

/**
 * Sets the family: the wire has one id for targets of every family, so it follows from the
 * protocol.
 */
function nameFamily({ mode, draft }: Writing): void {
  if (mode === 'create') draft.target_family = familyOf(draft.protocol ?? 'ssh')
}

/** Gives a finished session an end. */
function closeWhenFinished({ draft, row }: Writing): void {
  if (draft.is_finished === true && !row?.date_end && !draft.date_end) draft.date_end = new Date()
}
