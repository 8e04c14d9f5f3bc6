import { adminUser } from '@sallyport/contract/resources/assets/admin-user.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { Provided } from '../../kernel/provided.ts'
import type { Mount, ReadContext, StoredRow } from '../../kernel/resource/mount.ts'
import { list } from '../../kernel/resource/query.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { checkSecrets, keepReplaced } from '../../kernel/secrets/secret-fields.ts'
import { keepOutside, keptIn } from '../assets/secret-sources/index.ts'
import { applicationCounts } from './application-counts.ts'
import { pushSaved } from './linking.ts'
import {
  checkCertificate,
  checkSftpRoot,
  checkSwitchSource,
  checkUsername,
  forceAdminType,
  generateSecrets,
  isAssetProtocol,
  limitAutoPush,
  linkAssets,
  makeAuthority,
  requirePassword,
  requireToken,
  wipeManualSecrets,
} from './system-user-rules.ts'
import { assetsAccount, assetsSystemUser, assetsSystemUserNode } from './tables.ts'

/** What later domains link system users to, by the field's name. */
export type SystemUserLinks = Required<
  Pick<NonNullable<Mount<typeof systemUser, typeof assetsSystemUser>['relations']>, 'cmd_filters'>
>

/** Provided by the domain of command filters, a later one; needed before resources are mounted. */
export const systemUserLinks = new Provided<SystemUserLinks>('links of system users')

const relations = {
  nodes: { table: assetsSystemUserNode, owner: assetsSystemUserNode.systemuser, target: assetsSystemUserNode.node },
}

const shared = {
  table: assetsSystemUser,
  sealed: ['password', 'private_key', 'token'],
  computed: [
    { fields: ['assets_amount', 'applications_amount', 'is_asset_protocol'], load: countTargets },
    { fields: ['kept_in'], load: loadKeptIn },
  ],
  rules: {
    beforeWrite: [
      forceAdminType,
      limitAutoPush,
      keepOutside('system_user', assetsSystemUser),
      generateSecrets,
      checkUsername,
      requirePassword,
      requireToken,
      checkSecrets,
      checkSftpRoot,
      checkSwitchSource,
      checkCertificate,
      keepReplaced('system_user', assetsSystemUser),
    ],
    afterWrite: [wipeManualSecrets, makeAuthority, linkAssets, pushSaved],
  },
} satisfies Partial<Mount<typeof systemUser, typeof assetsSystemUser>>

/**
 * All system users, and a second resource for those of type admin with the same rows and rules
 * (docs/rules/assets.md#admin_user).
 */
export default function mountSystemUser(kernel: Kernel): void {
  const mount = { ...shared, relations: { ...relations, ...systemUserLinks.value } }
  mountResource(kernel, adminUser, {
    ...mount,
    sealed: ['password', 'private_key'],
    computed: [{ fields: ['assets_amount', 'applications_amount'], load: countTargets }],
    scope: () => eq(assetsSystemUser.type, 'admin'),
    rules: {
      ...mount.rules,
      beforeWrite: [
        ({ draft }) => {
          draft.type = 'admin'
        },
        ...mount.rules.beforeWrite,
      ],
    },
  })
  mountResource(kernel, systemUser, {
    ...mount,
    filters: {
      protocol__in: (value) => inArray(assetsSystemUser.protocol, list(value).slice(0, 20)),
      type__in: (value) => inArray(assetsSystemUser.type, list(value).slice(0, 20)),
    },
  })
}

async function loadKeptIn(rows: readonly StoredRow<typeof assetsSystemUser>[], { db }: ReadContext) {
  return (await keptIn(db, rows)).map((kept_in) => ({ kept_in }))
}

async function countTargets(
  rows: readonly StoredRow<typeof assetsSystemUser>[],
  { db }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const counts = await db
    .select({ systemuser: assetsAccount.systemuser, count: sql<number>`count(DISTINCT ${assetsAccount.asset})::int` })
    .from(assetsAccount)
    .where(
      and(
        inArray(
          assetsAccount.systemuser,
          rows.map((row) => row.id),
        ),
      ),
    )
    .groupBy(assetsAccount.systemuser)
  const applications = await applicationCounts(
    db,
    rows.map(({ id }) => id),
  )
  const byId = new Map(counts.map((row) => [row.systemuser, row.count]))
  return rows.map((row) => ({
    assets_amount: byId.get(row.id) ?? 0,
    applications_amount: applications.get(row.id) ?? 0,
    is_asset_protocol: isAssetProtocol(row),
  }))
}
