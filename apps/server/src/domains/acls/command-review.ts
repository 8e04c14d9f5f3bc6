import { spoken } from '@sallyport/contract/names.ts'
import { visibleText } from '@sallyport/contract/visible-text.ts'
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/database/database.ts'
import { AppError } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { COMMAND_RULES_CHANGED, type ConfirmingRule, confirmingRules } from '../command-filters/index.ts'
import { unfinishedExecutions } from '../ops/command-executions/index.ts'
import type { StoredSession } from '../terminal/index.ts'
import {
  addApprovalCheck,
  anyOpenConfirmation,
  type ConfirmationState,
  openConfirmation,
  openConfirmations,
  withdrawConfirmation,
} from '../tickets/index.ts'

export const COMMAND_CONFIRM = 'command_confirm'

/** Tickets looked at in one round; the rest waits for the next. */
const AT_ONCE = 500

/** Longer commands nobody reads to their end: they can't be confirmed. In characters. */
export const MAX_CONFIRMED = 10_000

/** Limit of a command's text in mails and messages, in characters. */
const MAX_SHOWN = 1024
/** The same for the names of its assets. */
const MAX_SHOWN_ASSETS = 512

/** A command that somebody wants to run in a session, or as a batch command. */
export interface ReviewedCommand {
  /**
   * `user_id`: its person; displays as in the session's row. A batch command has the same for all
   * its machines.
   */
  session: Pick<StoredSession, 'id' | 'org_id' | 'user_id' | 'asset' | 'system_user' | 'remote_addr'>
  /** The person who typed it; `display`: Name(username). */
  applicant: { id: string; display: string }
  text: string
  /** The part of it that the rule matches, where that is known. */
  match?: string
  /** `session` is a batch command. */
  isBatch?: boolean | undefined
}

/**
 * The people who may confirm commands of a session now: the rule's reviewers who can sign in, but
 * for those whose command it is, who typed it or whose session it runs in. Undefined where the rule
 * does not ask any more.
 */
export async function commandReviewers(
  db: Database,
  rule: string,
  own: readonly (string | null)[],
): Promise<ConfirmingRule | undefined> {
  const found = (await confirmingRules(db, [rule])).get(rule)
  return found && { ...found, reviewers: found.reviewers.filter(({ id }) => !own.includes(id)) }
}

/** Opens the ticket, addressed to those reviewers. Throws 400 where too many of the person's are open. */
export async function askForCommand(
  kernel: Kernel,
  { session, applicant, text, match = '', isBatch = false }: ReviewedCommand,
  { id, filter, filter_name, priority, reviewers }: ConfirmingRule,
): Promise<ConfirmationState> {
  const command = storable(text)
  return openConfirmation(kernel, {
    type: COMMAND_CONFIRM,
    title: `Command confirm ${command.replace(/\s+/g, ' ').trim().slice(0, 128)}`,
    orgId: session.org_id,
    applicant,
    remoteAddress: session.remote_addr ?? '',
    meta: {
      apply_run_user: applicant.display,
      apply_run_asset: session.asset,
      apply_run_system_user: session.system_user.slice(0, 64),
      apply_run_command: command,
      ...(isBatch ? { apply_from_command_execution_id: session.id } : { apply_from_session_id: session.id }),
      apply_from_cmd_filter_rule_id: id,
      apply_from_cmd_filter_id: filter,
      apply_from_cmd_filter_name: filter_name,
      apply_from_cmd_filter_rule_priority: priority,
      apply_run_command_match: storable(match),
    },
    assignees: reviewers.map((reviewer) => reviewer.id),
    waiting: (say) => [
      say('{{applicant}} wants to run a command on {{asset}} as {{systemUser}} and is waiting for your confirmation:', {
        applicant: spoken(applicant.display),
        asset: shortened(spoken(session.asset)),
        systemUser: spoken(session.system_user),
      }),
      visibleText(command.slice(0, MAX_SHOWN)),
    ],
  })
}

/** A batch command may have a thousand assets. */
const shortened = (assets: string) =>
  assets.length > MAX_SHOWN_ASSETS ? `${assets.slice(0, MAX_SHOWN_ASSETS)}…` : assets

/** JSON in PostgreSQL holds neither the character 0 nor half of a pair. */
const storable = (text: string) => text.replaceAll('\0', '\u2400').toWellFormed()

/**
 * What nobody waits for any more can't be approved, and is withdrawn within a minute: the rule is
 * gone, turned off or has lost all those who were asked, or the session or batch command has ended. A change of rules
 * is looked at at once.
 */
export function followCommandReviews(kernel: Kernel): void {
  addApprovalCheck(COMMAND_CONFIRM, async (db, { applicant, meta }, by) => {
    const rule = await commandReviewers(db, String(meta.apply_from_cmd_filter_rule_id), [applicant])
    if (!rule)
      throw new AppError(400, 'not_awaited', 'The rule has been changed meanwhile, so nobody waits for this any more')
    if (!rule.reviewers.some(({ id }) => id === by.id))
      throw new AppError(
        400,
        'not_awaited',
        'The rule has been changed meanwhile: you are not among its reviewers any more',
      )
    if ((await endedPlaces(db, [meta])).has(placeOf(meta)))
      throw new AppError(400, 'not_awaited', 'The session has ended meanwhile')
  })
  kernel.jobs.schedule(
    {
      name: 'acls.settle_command_reviews',
      cron: '* * * * *',
      title: 'Settle command reviews',
      isEssential: true,
      hasWork: () => anyOpenConfirmation(COMMAND_CONFIRM),
    },
    () => settleCommandReviews(kernel),
  )
  kernel.events.subscribe(COMMAND_RULES_CHANGED, () => {
    settleCommandReviews(kernel).catch((error) =>
      kernel.app.log.warn({ err: error }, 'confirmations of commands could not be looked at'),
    )
  })
}

/** One round over the open tickets. */
export async function settleCommandReviews(kernel: Kernel): Promise<void> {
  const open = await openConfirmations(kernel.db, COMMAND_CONFIRM, AT_ONCE)
  if (!open.length) return
  const rules = await confirmingRules(
    kernel.db,
    open.map(({ meta }) => String(meta.apply_from_cmd_filter_rule_id)),
  )
  const ended = await endedPlaces(
    kernel.db,
    open.map(({ meta }) => meta),
  )
  for (const { id, meta, assignees } of open) {
    const rule = rules.get(String(meta.apply_from_cmd_filter_rule_id))
    const canBeDecided = rule?.reviewers.some((reviewer) => assignees.includes(reviewer.id))
    const isOver = ended.has(placeOf(meta))
    const why = isOver ? 'session' : !rule ? 'rule' : canBeDecided ? undefined : 'reviewers'
    if (why) await withdrawConfirmation(kernel, COMMAND_CONFIRM, id, why)
  }
}

type Meta = Record<string, unknown>

/** The session or batch command in which a command waits; empty where a ticket names none. */
const placeOf = (meta: Meta) => String(meta.apply_from_session_id ?? meta.apply_from_command_execution_id ?? '')

/** Those of these sessions and batch commands that have ended, or are not known any more. */
async function endedPlaces(db: Database, metas: readonly Meta[]): Promise<Set<string>> {
  const ids = [...new Set(metas.map(placeOf))]
  const goOn = await unfinishedExecutions(db, ids.filter(isUuid))
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT id::text FROM terminal_listed_session WHERE id = ANY(${sql.param(ids.filter(isUuid))}::uuid[]) AND NOT is_finished`)
  for (const { id } of rows) goOn.add(id)
  return new Set(ids.filter((id) => !goOn.has(id)))
}
