import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../../design/Button.tsx'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Notice } from '../../../design/Notice.tsx'
import { Facts } from '../../../generic/detail/Facts.tsx'
import { ApiError, api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { PageFrame } from '../../../navigation/PageFrame.tsx'
import { session } from '../../../session/session.ts'
import type { PageProps } from '../../page-props.ts'
import styles from './connect-agent.module.css'

const PATH = '/api/v1/authentication/agent-programs/'

interface Asking {
  /** The program's own words for itself. */
  name: string
  /** Where the answer goes. */
  host: string
  is_local: boolean
  scope: string
  /** Why it can't be connected, as OAuth names it; empty where it can. */
  fault: string
  /** The program's address, with a no. */
  refused_at: string
}

/** On this page a person says whether a program may be their agent (docs/agents.md). */
export function ConnectAgent({ title }: PageProps) {
  const [address] = useSearchParams()
  const query = Object.fromEntries(address)
  const asking = useQuery({
    queryKey: keys.one(PATH, address.toString()),
    queryFn: ({ signal }) => api.get<Asking>(`${PATH}asking/?${new URLSearchParams(query)}`, { signal, quiet: true }),
    retry: false,
  })
  const status = asking.error instanceof ApiError ? asking.error.status : undefined
  return (
    <PageFrame title={title} lead={t('A program wants to work here with your rights, as your agent.')}>
      <div className={styles.page}>
        {status === 400 && (
          <EmptyState title={t('This program cannot be connected')}>
            {t(
              'It is not known here, or sends its answers to another address than it has registered. Begin again in the program.',
            )}
          </EmptyState>
        )}
        {status === 404 && (
          <EmptyState title={t('Agents are turned off here')}>
            {t('An administrator can allow agents of people in the settings, under Security.')}
          </EmptyState>
        )}
        {asking.isError && status !== 400 && status !== 404 && (
          <LoadFailed error={asking.error} onRetry={() => void asking.refetch()} />
        )}
        {asking.data && <Answer asking={asking.data} query={query} />}
      </div>
    </PageFrame>
  )
}

/** The program, what it may do and never may, and the two answers. */
function Answer({ asking, query }: { asking: Asking; query: Record<string, string> }) {
  const [sending, setSending] = useState(false)
  const { name, host, is_local, scope, fault, refused_at } = asking
  const connect = async () => {
    setSending(true)
    try {
      const { location: next } = await api.post<{ location: string }>(`${PATH}connect/`, query)
      location.assign(next)
    } catch (error) {
      // The page says what was wrong.
      if (!(error instanceof ApiError)) throw error
      setSending(false)
    }
  }
  const refuse = () => location.assign(refused_at)
  const facts = (
    <Facts
      facts={[
        { field: 'name', label: t('Program'), content: name },
        {
          field: 'host',
          label: t('Sends you to'),
          content: is_local ? t('{{host}}, on this computer', { host }) : host,
        },
        { field: 'scope', label: t('Scope'), content: <code>{scope}</code> },
        { field: 'person', label: t('Acts as'), content: session().profile.username },
      ]}
    />
  )
  if (fault)
    return (
      <section className="panel">
        <h2>{t('This program cannot be connected')}</h2>
        <div className="inside">
          {facts}
          <p>{t('It asks in a way that is not safe or not known here: {{fault}}', { fault })}</p>
          <Button onClick={refuse}>{t('Back to the program at {{host}}', { host })}</Button>
        </div>
      </section>
    )
  return (
    <section className="panel">
      <h2>{t('Connect this program?')}</h2>
      <div className="inside">
        {facts}
        <Notice
          className={styles.notice ?? ''}
          tone="warning"
          role="note"
          title={t('The program says its name itself; nobody has verified it.')}
        >
          {is_local
            ? t('Connect it only if you have just begun this in a program on this computer.')
            : t('Connect it only if you have just begun this yourself, and {{host}} is where that program is.', {
                host,
              })}
        </Notice>
        <h3>{t('It may, until you end it')}</h3>
        <ul className={styles.list}>
          <li>{t('Find your targets, explain your access, and ask for more in your name')}</li>
          <li>{t('Run commands, statements and runbooks and read files where you may')}</li>
          <li>{t('Read sessions and commands, where you may audit')}</li>
        </ul>
        <h3>{t('It never may')}</h3>
        <ul className={styles.list}>
          <li>{t('Approve a request, see a secret, or give a right')}</li>
          <li>{t('Do anything else with your account, or more than you may yourself')}</li>
        </ul>
        <p className="quiet">
          {t('All that it does is recorded in your name. You can end it on your profile, under My active sign-ins.')}
        </p>
        <div className={styles.answers}>
          <Button type="primary" loading={sending} onClick={() => void connect()}>
            {t('Connect@@agent')}
          </Button>
          <Button danger disabled={sending} onClick={refuse}>
            {t('Do not connect')}
          </Button>
        </div>
      </div>
    </section>
  )
}
