import type { OwnExplanation } from '@sallyport/contract/resources/perms/own-explanation.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { Status } from '../../design/Status.tsx'
import { api, withQuery } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'
import type { PageProps } from '../page-props.ts'
import styles from './access-check.module.css'

export const routes = places({
  name: 'OwnAccess',
  menu: 'common',
  title: msg('My access'),
  path: '/perms/own-access',
  hidden: true,
  bits: 0,
})

const PATH = '/api/v1/perms/users/explanation/'
const PARTS = ['asset', 'application', 'system_user', 'action'] as const

/** Why the signed-in person can't connect, as far as they may know it, and the way to ask for it. */
function OwnAccess({ title }: PageProps) {
  const [address] = useSearchParams()
  const parts = Object.fromEntries(PARTS.flatMap((part) => [[part, address.get(part) ?? undefined]]))
  const { asset, application, system_user, action } = parts
  const query = { asset_id: asset, application_id: application, system_user_id: system_user, action }
  const answer = useQuery({
    queryKey: keys.list(PATH, query),
    queryFn: () => api.get<OwnExplanation>(PATH, { query, quiet: true }),
    enabled: Boolean(asset || application),
  })
  return (
    <PageFrame title={title}>
      {!asset && !application ? (
        <EmptyState title={t('Nothing was asked about')} />
      ) : answer.error ? (
        <LoadFailed error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.data ? (
        <Answer answer={answer.data} parts={parts} />
      ) : (
        <Skeleton lines={4} />
      )}
    </PageFrame>
  )
}

interface AnswerProps {
  answer: OwnExplanation
  parts: Partial<Record<(typeof PARTS)[number], string | undefined>>
}

function Answer({ answer: { verdict, reasons, wants_permission, application }, parts }: AnswerProps) {
  const request = addressOf(
    parts.application ? 'RequestApplicationPermTicketCreateUpdate' : 'RequestAssetPermTicketCreateUpdate',
  )
  // For administrators: their own question in full.
  const whole = listOf(
    'AccessCheck',
    Object.fromEntries(
      Object.entries({ ...parts, user: session().profile.id }).flatMap(([part, id]) => (id ? [[part, id]] : [])),
    ),
  )
  const tone = ({ allowed: 'good', confirm: 'warning', refused: 'danger' } as const)[verdict]
  const words = {
    allowed: t('You can connect now.'),
    confirm: t('You can connect once somebody has confirmed it.'),
    refused: t('You cannot connect now.'),
  }[verdict]
  return (
    <section className="panel">
      <p className={styles.verdict} role="status">
        <Status tone={tone}>{words}</Status>
      </p>
      <ul className={styles.reasons}>
        {reasons.map(({ step, text }) => (
          <li key={step}>{text}</li>
        ))}
      </ul>
      <p className={styles.ways}>
        {wants_permission && request && (
          <Link className="button primary" to={withQuery(request, { ...parts, ...application })}>
            {t('Request access')}
          </Link>
        )}
        {whole && (
          <Link className="button" to={whole}>
            {t('Access check')}
          </Link>
        )}
      </p>
    </section>
  )
}

export const pages = { OwnAccess }
