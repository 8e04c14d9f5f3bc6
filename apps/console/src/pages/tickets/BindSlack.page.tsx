import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Notice } from '../../design/Notice.tsx'
import { namesOf } from '../../design/names.ts'
import { ApiError, api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { type DueProof, ProofForm } from './ProofForm.tsx'
import styles from './tickets.module.css'

export const routes = places({
  name: 'BindSlack',
  menu: 'common',
  title: msg('Bind an account in Slack'),
  path: '/bind-slack',
  hidden: true,
  bits: 0,
  cache: false,
})

const PATH = '/api/v1/tickets/slack-bindings/'

interface WaitingAccount {
  slack_name: string
  proof: DueProof
}

/** Somebody has pressed a button in Slack, and says here that the account is theirs (docs/rules/tickets.md#slack_decision). */
export function BindSlack({ title }: PageProps) {
  const [address] = useSearchParams()
  const code = address.get('code') ?? ''
  const [bound, setBound] = useState('')
  const client = useQueryClient()
  const found = useQuery({
    queryKey: keys.one(PATH, code),
    queryFn: ({ signal }) => api.get<WaitingAccount>(`${PATH}${encodeURIComponent(code)}/`, { signal, quiet: true }),
    enabled: code !== '' && bound === '',
    retry: false,
  })
  const isUnknown = code === '' || (found.error instanceof ApiError && found.error.status === 404)
  if (bound)
    return (
      <PageFrame title={title}>
        <EmptyState title={t('{{name}} now decides for you', { name: bound })}>
          {t('Go back to Slack and press the button again.')}
        </EmptyState>
      </PageFrame>
    )
  return (
    <PageFrame title={title}>
      {isUnknown && (
        <EmptyState title={t('This address does not count any more')}>
          {t('It counts for ten minutes, once, and for one person. Press the button in Slack again.')}
        </EmptyState>
      )}
      {found.isError && !isUnknown && <LoadFailed error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && !isUnknown && (
        <section className={namesOf(['panel', styles.narrow])}>
          <h2>{t('Is {{name}} your account in Slack?', { name: found.data.slack_name })}</h2>
          <div className="inside">
            <Notice tone="warning" role="note" title={t('It will approve and reject tickets in your name')}>
              {t('Bind it only if you have pressed the button in Slack yourself.')}
            </Notice>
            <ProofForm
              proof={found.data.proof}
              words={t('Bind')}
              send={async (body) => {
                const answer = await api.post<{ slack_name: string }>(`${PATH}${encodeURIComponent(code)}/`, body, {
                  quiet: true,
                })
                setBound(answer.slack_name)
              }}
              onDone={() => client.invalidateQueries({ queryKey: keys.one(PATH, code) })}
            />
          </div>
        </section>
      )}
    </PageFrame>
  )
}

export const pages = { BindSlack }
