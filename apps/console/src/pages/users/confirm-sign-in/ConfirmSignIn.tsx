import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../../design/Button.tsx'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { Input } from '../../../design/inputs/Input.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Notice } from '../../../design/Notice.tsx'
import { When } from '../../../generic/cells/When.tsx'
import { Facts } from '../../../generic/detail/Facts.tsx'
import { ApiError, api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { PageFrame } from '../../../navigation/PageFrame.tsx'
import type { PageProps } from '../../page-props.ts'
import styles from './confirm-sign-in.module.css'

const PATH = '/api/v1/authentication/browser-sign-ins/'

interface BrowserSignIn {
  username: string
  remote_addr: string
  /** The client's name for itself. */
  program: string
  state: 'open' | 'confirmed' | 'refused' | 'used'
  is_same_address: boolean
  browser_addr: string
  /** Names the person's key, where the client has proven it. */
  key_fingerprint: string
  /** For so many hours the answer can hold for that key; 0 where it can't. */
  hold_hours: number
  date_created: string
}

/**
 * On this page a person says whether a client without a browser, such as ssh or psql, is theirs
 * (docs/rules/authentication.md#browser_sign_in).
 */
export function ConfirmSignIn({ title }: PageProps) {
  const [address, setAddress] = useSearchParams()
  const code = address.get('code') ?? ''
  const waiting = useQuery({
    queryKey: keys.one(PATH, code),
    queryFn: ({ signal }) => api.get<BrowserSignIn>(`${PATH}${encodeURIComponent(code)}/`, { signal, quiet: true }),
    enabled: code !== '',
    retry: false,
  })
  const isUnknown = waiting.error instanceof ApiError && waiting.error.status === 404
  return (
    <PageFrame title={title} lead={t('A program without a browser, such as ssh, sftp or psql, signs in as you.')}>
      <div className={styles.page}>
        {waiting.isError && !isUnknown && <LoadFailed error={waiting.error} onRetry={() => void waiting.refetch()} />}
        {(code === '' || isUnknown) && (
          <CodeForm
            key={code}
            typed={code}
            refusal={isUnknown ? t('This code is unknown, has expired, or is for somebody else.') : ''}
            onCode={(next) => setAddress({ code: next })}
          />
        )}
        {waiting.data && <Answer code={code} waiting={waiting.data} />}
      </div>
    </PageFrame>
  )
}

interface CodeFormProps {
  typed: string
  /** Why the last code was not taken. */
  refusal: string
  onCode: (code: string) => void
}

/** For a person who came without the whole address. */
function CodeForm({ typed, refusal, onCode }: CodeFormProps) {
  const [text, setText] = useState(typed)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (text.trim()) onCode(text.trim())
  }
  return (
    <form className="panel" noValidate onSubmit={submit}>
      <h2>{t('Code of the sign-in')}</h2>
      <div className="inside">
        <label className={styles.label} htmlFor="sign-in-code">
          {t('The program shows it beside the address of this page.')}
        </label>
        <div className={styles.line}>
          <Input
            id="sign-in-code"
            autoFocus
            value={text}
            onChange={setText}
            aria-invalid={refusal !== ''}
            aria-describedby="sign-in-code-help"
          />
          <Button type="primary" htmlType="submit" disabled={!text.trim()}>
            {t('Continue')}
          </Button>
        </div>
        <p id="sign-in-code-help" className="bad" role={refusal ? 'alert' : undefined}>
          {refusal}
        </p>
      </div>
    </form>
  )
}

/** The program that asks, its address, and the two answers. */
function Answer({ code, waiting }: { code: string; waiting: BrowserSignIn }) {
  const client = useQueryClient()
  const [sending, setSending] = useState<'confirm' | 'refuse'>()
  const [hold, setHold] = useState(false)
  const send = async (answer: 'confirm' | 'refuse') => {
    setSending(answer)
    try {
      await api.post(`${PATH}${encodeURIComponent(code)}/${answer}/`, answer === 'confirm' && hold ? { hold } : {})
    } catch (error) {
      // The page says what was wrong; how the sign-in stands now, is read again.
      if (!(error instanceof ApiError)) throw error
    } finally {
      setSending(undefined)
      await client.invalidateQueries({ queryKey: keys.one(PATH, code) })
    }
  }
  const { state, is_same_address, remote_addr, browser_addr, username, program, date_created } = waiting
  const { key_fingerprint, hold_hours } = waiting
  if (state === 'refused')
    return (
      <EmptyState title={t('Refused@@sign-in')}>
        {t(
          'Nobody came in. If you did not start this sign-in, tell your administrator where it came from: {{address}}',
          {
            address: remote_addr,
          },
        )}
      </EmptyState>
    )
  if (state !== 'open')
    return (
      <EmptyState title={t('Confirmed@@sign-in')}>{t('Go on in the program. You can close this page.')}</EmptyState>
    )
  return (
    <section className="panel">
      <h2>{t('Did you start this sign-in?')}</h2>
      <div className="inside">
        <p className={styles.label}>{t('Confirm only when the program shows the same code:')}</p>
        <p className={styles.code}>{code.toUpperCase()}</p>
        <Facts
          facts={[
            { field: 'username', label: t('Username'), content: username },
            { field: 'remote_addr', label: t('From address'), content: remote_addr },
            { field: 'program', label: t('Program'), content: program || '-' },
            ...(key_fingerprint
              ? [{ field: 'key_fingerprint', label: t('SSH key'), content: <code>{key_fingerprint}</code> }]
              : []),
            { field: 'date_created', label: t('Started@@sign-in'), content: <When value={date_created} /> },
          ]}
        />
        {!is_same_address && (
          <Notice
            tone="warning"
            role="note"
            title={t('It comes from another address than this browser: {{address}}', { address: browser_addr })}
          >
            {t(
              'That is so behind a VPN, or on another machine of yours. If somebody sent you this address or code, refuse: they would sign in as you.',
            )}
          </Notice>
        )}
        {hold_hours > 0 && (
          <div className={styles.hold}>
            <Checkbox checked={hold} onChange={setHold} aria-describedby="hold-effect">
              {t('Do not ask for this key from this address for {{hours|hour|hours}}', { hours: hold_hours })}
            </Checkbox>
            <p id="hold-effect" className="quiet">
              {t('For tools that connect often. You can end it on your profile, under My active sign-ins.')}
            </p>
          </div>
        )}
        <div className={styles.answers}>
          <Button type="primary" loading={sending === 'confirm'} onClick={() => void send('confirm')}>
            {t('Confirm')}
          </Button>
          <Button danger loading={sending === 'refuse'} onClick={() => void send('refuse')}>
            {t('This is not me')}
          </Button>
        </div>
      </div>
    </section>
  )
}
