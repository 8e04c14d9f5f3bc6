import { serviceIdentity as definition } from '@sallyport/contract/resources/authentication/service-identity.ts'
import { eq, inArray, max, sql } from 'drizzle-orm'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, ReadContext, WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { checkIpGroup } from '../../acls/index.ts'
import { orgsMembership, setRoles } from '../../orgs/index.ts'
import { guardPerson, usersPerson } from '../../users/index.ts'
import {
  addServicePerson,
  changeServicePerson,
  removeServicePeople,
  serviceStates,
} from '../../users/service-people/index.ts'
import {
  authenticationServiceIdentityApplication as applications,
  authenticationServiceIdentityAsset as assets,
  authenticationServiceIdentity,
  authenticationServiceKey,
  authenticationServiceIdentityNode as nodes,
} from './tables.ts'

type Writing = WriteContext<typeof definition, typeof authenticationServiceIdentity>
type Written = WrittenContext<typeof definition, typeof authenticationServiceIdentity>
type Deleting = DeleteContext<typeof authenticationServiceIdentity>

/** Machines and scripts as people of their own (docs/operate-service-identities.md). */
export default function mountServiceIdentities(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: authenticationServiceIdentity,
    relations: {
      nodes: { table: nodes, owner: nodes.identity, target: nodes.node },
      assets: { table: assets, owner: assets.identity, target: assets.asset },
      applications: { table: applications, owner: applications.identity, target: applications.application },
    },
    computed: [
      {
        fields: ['state'],
        load: async (rows, { db }) => {
          const states = await serviceStates(
            db,
            rows.map(({ id }) => id),
          )
          return rows.map(({ id }) => ({ state: states.get(id) ?? 'owner_gone' }))
        },
      },
      { fields: ['org_roles'], load: loadRoles },
      { fields: ['keys_amount', 'date_last_used'], load: loadKeys },
    ],
    rules: {
      beforeWrite: [
        ({ call }) => refuseLimited(call),
        ({ call, draft }) => checkIpGroup(call, draft.ip_group ?? []),
        guardOwnPerson,
        checkOwner,
        addPerson,
      ],
      afterWrite: [changePerson, saveRoles],
      beforeDelete: [guardPeople],
      afterDelete: [
        ({ db, rows }: Deleting) =>
          removeServicePeople(
            db,
            rows.map(({ id }) => id),
          ),
      ],
    },
  })
}

async function loadRoles(rows: readonly { id: string; org_id: string }[], { db }: ReadContext) {
  const { user_id, org_id, role } = orgsMembership
  const found = await db
    .select({ user_id, org_id, role })
    .from(orgsMembership)
    .where(
      inArray(
        user_id,
        rows.map(({ id }) => id),
      ),
    )
  return rows.map((row) => ({
    org_roles: found.filter((one) => one.user_id === row.id && one.org_id === row.org_id).map((one) => one.role),
  }))
}

async function loadKeys(rows: readonly { id: string }[], { db }: ReadContext) {
  const { identity, is_active, date_expired, date_last_used } = authenticationServiceKey
  const found = await db
    .select({
      identity,
      amount: sql<number>`count(*) FILTER (WHERE ${is_active} AND (${date_expired} IS NULL OR ${date_expired} > now()))::int`,
      used: max(date_last_used),
    })
    .from(authenticationServiceKey)
    .where(
      inArray(
        identity,
        rows.map(({ id }) => id),
      ),
    )
    .groupBy(identity)
  const byIdentity = new Map(found.map((one) => [one.identity, one]))
  return rows.map(({ id }) => ({
    keys_amount: byIdentity.get(id)?.amount ?? 0,
    date_last_used: byIdentity.get(id)?.used ?? null,
  }))
}

/**
 * An organization's administrator changes no identity that is more than they are: one with a role of
 * the system, or in an organization that is not theirs. Throws 403.
 */
async function guardOwnPerson({ call, db, row }: Writing): Promise<void> {
  if (row) await guardPerson(db, call, row.id)
}

async function guardPeople({ call, db, rows }: Deleting): Promise<void> {
  refuseLimited(call)
  for (const { id } of rows) await guardPerson(db, call, id)
}

/** The owner answers for it: a person who may sign in. Throws 400 on `owner`. */
async function checkOwner({ db, draft, row }: Writing): Promise<void> {
  if (!draft.owner || draft.owner === row?.owner) return
  const { id, source, is_valid } = usersPerson
  const [owner] = await db.select({ source, is_valid }).from(usersPerson).where(eq(id, draft.owner))
  if (owner?.source === 'service') throw invalid({ owner: 'A service identity belongs to a person' })
  if (!owner?.is_valid) throw invalid({ owner: 'The owner must be able to sign in' })
}

async function addPerson({ call, db, draft, row }: Writing): Promise<void> {
  if (row) return
  const created_by = call.user?.name.slice(0, 30) ?? ''
  const { name = '', username = '', owner = null, is_active = true, date_expired = null } = draft
  const person = { name, username, owner, is_active, date_expired: asDate(date_expired) }
  const id = await addServicePerson(db, { ...person, org: call.org.id, created_by })
  Object.assign(draft, { id, created_by })
}

const asDate = (value: unknown): Date | null => (value ? new Date(value as string | Date) : null)

async function changePerson({ db, row, stored }: Written): Promise<void> {
  if (row) await changeServicePerson(db, stored.id, stored)
}

/** A form without them leaves them as they are. */
async function saveRoles({ body, db, draft, stored, note }: Written): Promise<void> {
  if (!('org_roles' in body)) return
  const wanted = draft.org_roles?.length ? draft.org_roles : (['User'] as const)
  note({ name: 'org_roles', ...(await setRoles(db, stored.id, stored.org_id, wanted)) })
}
