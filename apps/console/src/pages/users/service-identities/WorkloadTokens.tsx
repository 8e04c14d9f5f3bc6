import type { ServiceIdentity } from '@sallyport/contract/resources/authentication/service-identity.ts'
import { type WorkloadToken, workloadToken } from '@sallyport/contract/resources/authentication/workload-token.ts'
import { ResourceTable } from '../../../generic/list/ResourceTable.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { msg } from '../../../lib/i18n.ts'
import { trustRulePages } from '../trust-rule.page.tsx'

const tokenPages = definePages<WorkloadToken>(workloadToken, {
  list: {
    columns: ['subject', 'remote_addr', 'date_created', 'date_last_used', 'date_expired'],
    linkColumn: 'subject',
    none: msg('No workload holds a token now: each lasts 15 minutes'),
    hasSelection: false,
    hasSearch: false,
    hideSearch: ['identity'],
    refetchInterval: 15_000,
  },
})

/** The tokens that workloads hold now, on the page of their service identity. */
export function WorkloadTokens({ row }: DetailProps<ServiceIdentity>) {
  return <ResourceTable pages={tokenPages} base="WorkloadToken" inAddress={false} query={{ identity: row.id }} />
}

/** The rules by which workloads come, on the page of their service identity. */
export function TrustRules({ row }: DetailProps<ServiceIdentity>) {
  return (
    <ResourceTable
      pages={trustRulePages}
      base="TrustRule"
      inAddress={false}
      query={{ identity: row.id }}
      createQuery={{ identity: row.id }}
    />
  )
}
