import { PERMISSION } from '@sallyport/contract/access.ts'
import { TabPage } from '../../generic/detail/TabPage.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { Forwarding } from './evidence/Forwarding.tsx'
import { SignedRoots } from './evidence/SignedRoots.tsx'

export const routes = places({
  name: 'AuditEvidence',
  menu: 'audits',
  order: 70,
  title: msg('Log forwarding & integrity'),
  path: '/audits/evidence',
  bits: PERMISSION.audit | PERMISSION.super,
})

/** Where audit events go besides, and what shows that nobody changed them here. */
export function AuditEvidence({ title }: PageProps) {
  return (
    <PageFrame title={title} lead={t('Where audit events go, and what shows that nobody has changed the logs.')}>
      <TabPage
        tabs={[
          { name: 'Forwarding', title: t('Forwarding'), content: () => <Forwarding /> },
          { name: 'Roots', title: t('Signed checkpoints'), content: () => <SignedRoots /> },
        ]}
      />
    </PageFrame>
  )
}

export const pages = { AuditEvidence }
