import { Named } from '../../design/Named.tsx'
import { t } from '../../lib/i18n.ts'

interface SessionFactsProps {
  user: string | undefined
  asset: string | undefined
  systemUser: string | undefined
  /** Other news of the session. */
  other: { label: string; value: string | undefined }
}

/** Owner and target of the session. */
export function SessionFacts({ user, asset, systemUser, other }: SessionFactsProps) {
  return (
    <dl>
      <dt>{t('User')}</dt>
      <dd>{user && <Named text={user} />}</dd>
      <dt>{t('Asset')}</dt>
      <dd>{asset && <Named text={asset} />}</dd>
      <dt>{t('System user')}</dt>
      <dd>{systemUser && <Named text={systemUser} />}</dd>
      <dt>{other.label}</dt>
      <dd>{other.value}</dd>
    </dl>
  )
}
