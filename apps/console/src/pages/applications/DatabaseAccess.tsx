import type { Application } from '@sallyport/contract/resources/applications/application.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { type ReactNode, useId, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import { Status } from '../../design/Status.tsx'
import { formErrors } from '../../generic/view/form-errors.ts'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import styles from './DatabaseAccess.module.css'
import { giveAccess, isNameless, storeAccount, tryAccount } from './database-account.ts'

const FIELDS = ['username', 'password', 'users'] as const

/**
 * The account of a new database and the people who get it, in one form. The account is tried with
 * what is stored of it, before anybody has access.
 */
export function DatabaseAccess({ row }: { row: Application }) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [people, setPeople] = useState<string[]>([session().profile.id])
  const [isTested, setTested] = useState(false)
  const { busy, faults, send } = useSending()
  const stored = useRef<string>(undefined)
  /** The stored account has what is typed; it is made once, and changed from then on. */
  const store = async (): Promise<string> => {
    stored.current = await storeAccount(row, { username: username.trim(), password }, stored.current)
    return stored.current
  }
  const test = async () => {
    setTested(false)
    await tryAccount(row, await store())
    setTested(true)
  }
  const access = async () => giveAccess(row, username.trim(), await store(), people)
  const isEmpty = (username.trim() === '' && !isNameless(row.type)) || password === ''
  const whyNot = isEmpty ? t('Type the username and the password first') : undefined
  const change = (set: (text: string) => void) => (text: string) => {
    setTested(false)
    set(text)
  }
  return (
    <div className={styles.form}>
      <Labelled label={t('Username')} fault={faults.username}>
        {(named) => <Input {...named} value={username} onChange={change(setUsername)} autoCapitalize="none" />}
      </Labelled>
      <Labelled label={t('Password')} fault={faults.password}>
        {(named) => <SecretInput {...named} value={password} onChange={change(setPassword)} />}
      </Labelled>
      <div className={styles.wide}>
        <Labelled label={t('Who gets access')} fault={faults.users}>
          {(named) => (
            <RemoteSelect
              {...named}
              path={user.path}
              display={user.display}
              multiple
              value={people}
              onChange={(next) => setPeople(Array.isArray(next) ? next : [])}
            />
          )}
        </Labelled>
      </div>
      {faults[''] && (
        <p className={`${styles.wide} ${styles.fault}`} role="alert">
          {faults['']}
        </p>
      )}
      <div className={styles.buttons}>
        <Button loading={busy === 'test'} whyDisabled={whyNot} onClick={() => void send('test', test)}>
          {t('Test')}
        </Button>
        <Button
          type={isTested ? 'primary' : 'default'}
          loading={busy === 'access'}
          whyDisabled={whyNot ?? (people.length === 0 ? t('Choose at least one person') : undefined)}
          onClick={() => void send('access', access)}
        >
          {isTested ? t('Give access') : t('Give access without testing')}
        </Button>
        <span role="status">{isTested && <Status tone="good">{t('The database lets the account in')}</Status>}</span>
      </div>
    </div>
  )
}

/** Sends one thing at a time; what the server refuses is kept by its field, or under '' where there is none. */
function useSending() {
  const [busy, setBusy] = useState<string>()
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const send = async (name: string, work: () => Promise<void>) => {
    if (busy) return
    setBusy(name)
    setFaults({})
    await work().catch((error: unknown) => setFaults(faultsOf(error)))
    setBusy(undefined)
  }
  return { busy, faults, send }
}

function faultsOf(error: unknown): Record<string, string> {
  const refused = error instanceof ApiError ? error.fields : undefined
  if (!refused) return { '': errorText(error) }
  const { fields, others } = formErrors(
    refused,
    FIELDS.map((name) => ({ name })),
  )
  const named = Object.fromEntries(fields.map(({ path, text }) => [path.join('.'), text]))
  return others.length > 0 ? { ...named, '': others.join('; ') } : named
}

interface LabelledProps {
  label: string
  fault: string | undefined
  children: (named: { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }) => ReactNode
}

/** A field under its label, with what is wrong with it below. */
function Labelled({ label, fault, children }: LabelledProps) {
  const id = useId()
  const faultId = fault ? `${id}-fault` : undefined
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': fault !== undefined, 'aria-describedby': faultId })}
      {fault && (
        <p className={styles.fault} id={faultId} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
