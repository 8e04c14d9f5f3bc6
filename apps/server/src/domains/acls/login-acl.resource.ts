import { loginAcl } from '@sallyport/contract/resources/acls/login-acl.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { displayName, isRoot, isSuperAdmin } from '../../kernel/access/call.ts'
import { refuseLimited } from '../../kernel/access/limited-key.ts'
import { forbidden, invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { anyOf, isUuid } from '../../kernel/resource/conditions.ts'
import type { DeleteContext, ReadContext, StoredRow, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { orgsMembership } from '../orgs/index.ts'
import { guardPerson, peopleElsewhere, usersAccount } from '../users/index.ts'
import { licenseOf } from '../xpack/index.ts'
import { isIpGroupEntry } from './ip-group.ts'
import { aclsLoginAcl, aclsLoginAclReviewer } from './tables.ts'
import { isTimePeriod } from './time-period.ts'

type Writing = WriteContext<typeof loginAcl, typeof aclsLoginAcl>
type Deleting = DeleteContext<typeof aclsLoginAcl>

/** Rules about a person's sign-in (docs/rules/acls.md#login_acl). */
export default function mountLoginAcls(kernel: Kernel): void {
  mountResource(kernel, loginAcl, {
    table: aclsLoginAcl,
    scope: ({ call }) =>
      isRoot(call)
        ? undefined
        : sql`EXISTS (SELECT 1 FROM ${orgsMembership} m WHERE m.org_id = ${call.org.id} AND m.user_id = ${aclsLoginAcl.user})`,
    relations: {
      reviewers: {
        table: aclsLoginAclReviewer,
        owner: aclsLoginAclReviewer.acl_id,
        target: aclsLoginAclReviewer.user_id,
      },
    },
    filters: {
      user_display: (value) =>
        sql`${aclsLoginAcl.user} IN (SELECT id FROM ${usersAccount} WHERE name = ${value.replaceAll('\0', '')})`,
    },
    computed: [{ fields: ['user_display', 'reviewers_display'], load: loadNames }],
    rules: {
      beforeRead: requirePerson,
      // A rule says who may sign in from where, as much as the one that is taken away.
      beforeWrite: [({ call }) => refuseLimited(call), checkRules, checkLicense, requireReviewers, guardPersonOf],
      beforeDelete: [({ call }) => refuseLimited(call), guardPeopleOf],
    },
    metadata(actions) {
      if (licenseOf(kernel).isValid()) return
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const action = actions[method]?.action
        if (action) action.choices = (action.choices as { value: string }[]).filter(({ value }) => value !== 'confirm')
      }
    },
  })
}

/**
 * Throws 403 unless the query names a member of the current organization, whose rules are then
 * listed; in root, anybody.
 */
async function requirePerson({ db, call, query }: ReadContext): Promise<void> {
  const { user } = query
  if (!isUuid(user)) throw forbidden()
  if (!(await peopleHere(db, call, [user])).has(user)) throw forbidden()
  if ((await peopleElsewhere(db, call, [user])).size)
    throw forbidden(
      'This person also belongs to an organization that you do not administer: only a system administrator may see this.',
    )
}

/** Those of the people whose rules the caller may list. */
export async function withListedRules({ db, call }: ReadContext, users: readonly string[]): Promise<Set<string>> {
  const [here, elsewhere] = [await peopleHere(db, call, users), await peopleElsewhere(db, call, [...users])]
  // Rules hold in all organizations that a person belongs to.
  return new Set([...here].filter((id) => !elsewhere.has(id)))
}

/** Members of the current organization; in root, anybody. */
async function peopleHere(db: ReadContext['db'], call: ReadContext['call'], users: readonly string[]) {
  const rows = isRoot(call)
    ? await db.select({ id: usersAccount.id }).from(usersAccount).where(anyOf(usersAccount.id, users))
    : await db
        .select({ id: orgsMembership.user_id })
        .from(orgsMembership)
        .where(and(eq(orgsMembership.org_id, call.org.id), anyOf(orgsMembership.user_id, users)))
  return new Set(rows.map(({ id }) => id))
}

async function loadNames(
  rows: readonly StoredRow<typeof aclsLoginAcl>[],
  { db }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const reviewers = await db
    .select({ acl: aclsLoginAclReviewer.acl_id, name: usersAccount.name, username: usersAccount.username })
    .from(aclsLoginAclReviewer)
    .innerJoin(usersAccount, eq(usersAccount.id, aclsLoginAclReviewer.user_id))
    .where(
      inArray(
        aclsLoginAclReviewer.acl_id,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(usersAccount.name)
  const people = await db
    .select({ id: usersAccount.id, username: usersAccount.username })
    .from(usersAccount)
    .where(
      inArray(
        usersAccount.id,
        rows.map(({ user }) => user),
      ),
    )
  return rows.map(({ id, user }) => ({
    user_display: people.find((one) => one.id === user)?.username ?? '',
    reviewers_display: reviewers
      .filter(({ acl }) => acl === id)
      .map(displayName)
      .join(','),
  }))
}

/** Messages of a list name each entry by its index, which clients use to place them. */
function checkRules({ call, draft }: Writing): void {
  const { rules } = draft
  const faults: Record<string, string> = {}
  for (const [index, entry] of (rules?.ip_group ?? []).entries())
    if (!isIpGroupEntry(entry))
      faults[`rules.ip_group.${index}`] = translate(call.language, 'IP address invalid: `{{entry}}`', { entry })
  for (const [index, { value }] of (rules?.time_period ?? []).entries())
    if (!isTimePeriod(value))
      faults[`rules.time_period.${index}.value`] = translate(call.language, 'Times are written 09:00~18:00')
  if (Object.keys(faults).length) throw invalid(faults)
}

/**
 * Confirming needs a license. A rule that is stored already stays in force when the license
 * expires.
 */
function checkLicense({ kernel, call, draft, row }: Writing): void {
  if (draft.action === 'confirm' && row?.action !== 'confirm' && !licenseOf(kernel).isValid())
    throw invalid({ action: translate(call.language, 'This needs a valid license.') })
}

/** Without anybody who confirms, such a rule would let everybody in whom it is about. */
async function requireReviewers({ draft, row, db }: Writing): Promise<void> {
  if ((draft.action ?? row?.action) !== 'confirm') return
  if (row && draft.reviewers === undefined && (draft.action === undefined || row.action === 'confirm')) return
  const { acl_id } = aclsLoginAclReviewer
  const count = draft.reviewers?.length ?? (row ? await db.$count(aclsLoginAclReviewer, eq(acl_id, row.id)) : 0)
  if (!count) throw invalid({ reviewers: 'Choose who confirms' })
}

/**
 * A rule can lock somebody out, or admit a person whom another organization locked out: its author
 * must be allowed to change how that person signs in.
 */
async function guardPersonOf({ db, call, draft, row }: Writing): Promise<void> {
  for (const user of new Set([draft.user, row?.user])) if (user) await guardPerson(db, call, user)
}

async function guardPeopleOf({ db, call, rows }: Deleting): Promise<void> {
  if (isSuperAdmin(call)) return
  for (const user of new Set(rows.map((row) => row.user))) await guardPerson(db, call, user)
}
