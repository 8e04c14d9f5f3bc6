import { sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import type { ConnectQuestion } from '../may-connect.ts'
import { grantFacts, type Lack, type NearPermission, nearPermissions } from './near-permissions.ts'

/**
 * Why `mayConnect` refuses somebody, as far as they may know it: of permissions that name them and cover
 * the target, nothing of others. `unknown`: there is none, and the target may not even exist.
 */
export interface WhyNot {
  reason: 'unknown' | 'target' | 'protocol' | OwnLack
  /** When the permission begins or ended. */
  date?: Date
}

type OwnLack = Extract<Lack, 'account' | 'off' | 'future' | 'ended' | 'connect'>

/** A permission that lacks one of these is not the person's to know of. */
const FOREIGN: readonly Lack[] = ['person', 'target', 'membership']

const isKnown = ({ lacks }: NearPermission) => !lacks.some((lack) => FOREIGN.includes(lack))

/** To be asked when `mayConnect` has refused: the same conditions decide. */
export async function whyNot(db: Database, question: ConnectQuestion): Promise<WhyNot> {
  if (![question.userId, question.target.id, question.systemUserId].every(isUuid)) return { reason: 'unknown' }
  const [own, facts] = await Promise.all([
    nearPermissions(db, question, 'connect', { isOwn: true }),
    grantFacts(db, question),
  ])
  const [nearest] = own
    .filter(isKnown)
    .map(({ lacks, ...one }) => ({ ...one, lacks: lacks.filter((lack) => lack !== 'action') as OwnLack[] }))
    .sort((a, b) => a.lacks.length - b.lacks.length || b.dateExpired.getTime() - a.dateExpired.getTime())
  if (!nearest) return { reason: 'unknown' }
  const [lack] = nearest.lacks
  if (!lack) return { reason: !facts ? 'unknown' : !facts.isActiveTarget ? 'target' : 'protocol' }
  if (lack === 'future') return { reason: lack, date: nearest.dateStart }
  return lack === 'ended' ? { reason: lack, date: nearest.dateExpired } : { reason: lack }
}

/** English sentences, which are translation keys; `{{date}}` where there is one. */
export const WHY_NOT: Readonly<Record<WhyNot['reason'], string>> = {
  unknown: 'You have no permission to connect to this asset',
  off: 'You have no permission to connect to this asset: yours is switched off',
  future: 'You have no permission to connect to this asset: yours begins on {{date}}',
  ended: 'You have no permission to connect to this asset: yours ended on {{date}}',
  account: 'You have no permission to connect to this asset with this account',
  connect: 'You have no permission to connect to this asset: yours is for other actions',
  target: 'This asset is switched off',
  protocol: 'This account cannot log in to this asset',
}

/** The day of it, as the sentences say it. */
export const dayOf = ({ date }: WhyNot): string => date?.toISOString().slice(0, 10) ?? ''

/**
 * The permissions of a person on a target, valid or not, with all their system users; undefined where none
 * names them and covers it in an organization of theirs.
 */
export async function ownPermissions(
  db: Database,
  question: Omit<ConnectQuestion, 'systemUserId'>,
): Promise<{ accounts: string[] } | undefined> {
  const own = (await nearPermissions(db, { ...question, systemUserId: NOBODY }, 'connect', { isOwn: true })).filter(
    isKnown,
  )
  if (!own.length) return undefined
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT DISTINCT ps.systemuser AS id FROM perms_permission_system_user ps
    WHERE ps.permission = ANY(${sql.param(own.map(({ id }) => id))}::uuid[])`)
  return { accounts: rows.map(({ id }) => id) }
}

/** No system user's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000'
