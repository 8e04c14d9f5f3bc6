import { loginAssetAcl } from '@sallyport/contract/resources/acls/login-asset-acl.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { leaveOutUnknown } from '../../kernel/resource/references.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { orgsMembership } from '../orgs/index.ts'
import { aclsLoginAssetAcl, aclsLoginAssetAclReviewer } from './tables.ts'

type Writing = WriteContext<typeof loginAssetAcl, typeof aclsLoginAssetAcl>

const PROTOCOLS = ['ssh', 'rdp', 'telnet', 'vnc', '*']

/** Rules that put connecting to assets under review (docs/rules/acls.md#login_asset_acl). */
export default function mountLoginAssetAcls(kernel: Kernel): void {
  mountResource(kernel, loginAssetAcl, {
    table: aclsLoginAssetAcl,
    // Those of other organizations are dropped (docs/rules/acls.md#login_asset_acl), and so as not
    // to tell of them, ids of nobody as well.
    checksItself: ['reviewers'],
    relations: {
      reviewers: {
        table: aclsLoginAssetAclReviewer,
        owner: aclsLoginAssetAclReviewer.acl_id,
        target: aclsLoginAssetAclReviewer.user_id,
      },
    },
    rules: { beforeWrite: [checkProtocols, leaveOutUnknown(loginAssetAcl, 'reviewers'), keepMembers] },
  })
}

function checkProtocols({ call, draft }: Writing): void {
  const group = draft.system_users?.protocol_group ?? []
  const odd = group.filter((name) => !PROTOCOLS.includes(name))
  if (odd.length)
    throw invalid({
      'system_users.protocol_group': translate(call.language, 'Unsupported protocols: {{names}}', {
        names: odd.join(', '),
      }),
    })
}

/** Drops reviewers who are not members, without an error. Throws 400 when none is left. */
async function keepMembers({ db, call, draft }: Writing): Promise<void> {
  if (!draft.reviewers) return
  const members = draft.reviewers.length
    ? await db
        .selectDistinct({ id: orgsMembership.user_id })
        .from(orgsMembership)
        .where(and(eq(orgsMembership.org_id, call.org.id), inArray(orgsMembership.user_id, draft.reviewers)))
    : []
  if (!members.length) throw invalid({ reviewers: 'None of the reviewers belongs to this organization' })
  draft.reviewers = members.map(({ id }) => id)
}
