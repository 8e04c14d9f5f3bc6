import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './first-run.module.css'
import { type Faults, Field } from './StepForm.tsx'

/** The typed login. */
export interface TypedLogin {
  username: string
  password: string
  private_key: string
  passphrase: string
  /** By a private key instead of a password. */
  byKey: boolean
}

export const NO_LOGIN: TypedLogin = { username: '', password: '', private_key: '', passphrase: '', byKey: false }
export const LOGIN_FIELDS = ['username', 'password', 'private_key', 'passphrase'] as const

/** The login as sent. */
export const loginOf = ({ username, password, private_key, passphrase, byKey }: TypedLogin) => ({
  username: username.trim(),
  ...(byKey ? { private_key, passphrase } : { password }),
})

interface LoginFieldsProps {
  usernameLabel: string
  login: TypedLogin
  onChange: (login: TypedLogin) => void
  faults: Faults
}

/** A user name with a password or a private key, and the way from one to the other. */
export function LoginFields({ usernameLabel, login, onChange, faults }: LoginFieldsProps) {
  const { username, password, private_key, passphrase, byKey } = login
  return (
    <>
      <Field
        label={usernameLabel}
        value={username}
        onChange={(value) => onChange({ ...login, username: value })}
        fault={faults.username}
        placeholder="root"
        required
        maxLength={128}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {byKey ? (
        <>
          <Field
            label={t('Private key')}
            isLong
            value={private_key}
            onChange={(value) => onChange({ ...login, private_key: value })}
            fault={faults.private_key}
          />
          <Field
            label={t('Passphrase of the key (if it has one)')}
            type="password"
            value={passphrase}
            onChange={(value) => onChange({ ...login, passphrase: value })}
            fault={faults.passphrase}
            autoComplete="new-password"
          />
        </>
      ) : (
        <Field
          label={t('Password')}
          type="password"
          value={password}
          onChange={(value) => onChange({ ...login, password: value })}
          fault={faults.password}
          required
          autoComplete="new-password"
        />
      )}
      <div className={styles.firstSwitch}>
        <Button type="text" onClick={() => onChange({ ...login, byKey: !byKey })}>
          {byKey ? t('Use a password instead') : t('Use a private key instead')}
        </Button>
      </div>
    </>
  )
}
