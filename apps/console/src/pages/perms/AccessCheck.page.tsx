import { ACTION_CHOICES } from '@sallyport/contract/actions.ts'
import type { AccessExplanation } from '@sallyport/contract/resources/perms/explanation.ts'
import { useQuery } from '@tanstack/react-query'
import { RouteIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useSearchParams } from 'react-router'
import { Select } from '../../design/boxes/Select.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { REFERENCES } from '../../generic/view/references.ts'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import styles from './access-check.module.css'
import { Explanation } from './Explanation.tsx'

export const routes = places({
  name: 'AccessCheck',
  menu: 'perms',
  order: 30,
  title: msg('Access check'),
  path: '/perms/access-check',
})

const EXPLANATIONS = '/api/v1/perms/explanations/'
/** Parts of the question, as the address and the call name them. */
const PARTS = ['user', 'asset', 'application', 'system_user', 'permission', 'action'] as const
type Part = (typeof PARTS)[number]
/** A session leads to one of them. */
const INSTEAD: Partial<Record<Part, Part>> = { asset: 'application', application: 'asset' }

/** Why a person can, or can't, work on a target: every condition, and the way out of each that fails. */
function AccessCheck({ title }: PageProps) {
  const [address, setAddress] = useSearchParams()
  const question = Object.fromEntries(
    PARTS.flatMap((part) => {
      const value = address.get(part)
      return value ? [[part === 'action' ? part : `${part}_id`, value]] : []
    }),
  )
  const isWhole = Boolean(question.user_id && (question.asset_id || question.application_id))
  const answer = useQuery({
    queryKey: keys.list(EXPLANATIONS, question),
    queryFn: () => api.get<AccessExplanation>(EXPLANATIONS, { query: question, quiet: true }),
    enabled: isWhole,
  })
  const choose = (part: Part, value: string | null) =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        const other = INSTEAD[part]
        if (value && other) next.delete(other)
        // It belonged to another target.
        if (other) next.delete('system_user')
        if (value) next.set(part, value)
        else next.delete(part)
        return next
      },
      { replace: true },
    )
  return (
    <PageFrame
      title={title}
      lead={t('Why a person can, or cannot, work on a target now. Nothing is opened, and nobody is asked.')}
    >
      <section className={`panel ${styles.question}`}>
        <Chosen part="user" label={t('Person')} value={address.get('user')} onChoose={choose} />
        <Chosen part="asset" label={t('Asset')} value={address.get('asset')} onChoose={choose} />
        <Chosen part="application" label={t('Application')} value={address.get('application')} onChoose={choose} />
        <Chosen
          part="system_user"
          label={t('System user')}
          value={address.get('system_user')}
          placeholder={answer.data?.system_user?.name}
          onChoose={choose}
        />
        <Labeled label={t('Action')}>
          {(id) => (
            <Select
              id={id}
              value={address.get('action') ?? 'connect'}
              options={Object.entries(ACTION_CHOICES).map(([value, words]) => ({ value, label: t(words) }))}
              onChange={(value) => choose('action', value === 'connect' ? null : value)}
            />
          )}
        </Labeled>
      </section>
      {!isWhole ? (
        <EmptyState icon={<RouteIcon />} title={t('Choose a person, and an asset or an application')}>
          {t('Without a system user, the most likely one is looked at.')}
        </EmptyState>
      ) : answer.error ? (
        <LoadFailed error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.data ? (
        <Explanation answer={answer.data} asked={address.get('permission')} />
      ) : (
        <Skeleton lines={10} />
      )}
    </PageFrame>
  )
}

function Labeled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <label htmlFor={id}>
      {label}
      {children(id)}
    </label>
  )
}

interface ChosenProps {
  part: Exclude<Part, 'action' | 'permission'>
  label: string
  value: string | null
  placeholder?: string | undefined
  onChoose: (part: Part, value: string | null) => void
}

function Chosen({ part, label, value, placeholder, onChoose }: ChosenProps) {
  const { path, display } = REFERENCES[part] as { path: string; display: string }
  return (
    <Labeled label={label}>
      {(id) => (
        <RemoteSelect
          id={id}
          path={path}
          display={display}
          value={value}
          placeholder={placeholder}
          clearable
          onChange={(one) => onChoose(part, typeof one === 'string' ? one : null)}
        />
      )}
    </Labeled>
  )
}

export const pages = { AccessCheck }
