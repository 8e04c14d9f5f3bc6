import { useQuery } from '@tanstack/react-query'
import { Button } from '../../../design/Button.tsx'
import { Switch } from '../../../design/inputs/Switch.tsx'
import { api } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { passkeysWork } from '../../../lib/passkey.ts'
import { keys } from '../../../lib/query.ts'
import {
  addPasskey,
  PASSKEYS_PATH,
  type Passkey,
  type Passkeys,
  removePasskey,
  renamePasskey,
  switchMfa,
} from './passkey-dialogs.tsx'
import styles from './passkeys-panel.module.css'

/**
 * The person's own passkeys: added, named and removed; a change needs a fresh proof of who they
 * are.
 */
export function PasskeysPanel() {
  const { data } = useQuery({
    queryKey: keys.one(PASSKEYS_PATH, 'mine'),
    queryFn: ({ signal }) => api.get<Passkeys>(PASSKEYS_PATH, { signal }),
  })
  if (!data) return null
  const { passkeys, max } = data
  return (
    <section className="panel">
      <h2>{t('Passkeys')}</h2>
      <div className="inside">
        <p className={styles.passkeyHelp}>
          {t(
            'Sign in with the finger, face or PIN of a device, or with a security key. A passkey cannot be guessed, and fake pages get nothing from it.',
          )}
        </p>
        <ul className={styles.passkeys}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} of={data} />
          ))}
        </ul>
        {passkeys.length > 0 && (
          <div className={styles.passkeyMfa}>
            {t('Ask for MFA after the password')}
            <Switch
              aria-label={t('Ask for MFA after the password')}
              checked={data.mfa_enabled}
              disabled={data.mfa_forced}
              onChange={(on) => void switchMfa(on)}
            />
          </div>
        )}
        {passkeysWork() ? (
          <Button disabled={passkeys.length >= max} onClick={() => addPasskey(data)}>
            {t('Add a passkey')}
          </Button>
        ) : (
          <p className={styles.passkeyHelp}>
            {t('To add one, open this site by its name and HTTPS in a browser that knows passkeys.')}
          </p>
        )}
      </div>
    </section>
  )
}

function PasskeyRow({ passkey, of }: { passkey: Passkey; of: Passkeys }) {
  return (
    <li>
      <div>
        {passkey.name}
        <p>
          {t('Added {{date}}', { date: formatDate(passkey.date_created, 'short') })}
          {' · '}
          {passkey.date_last_used
            ? t('last used {{date}}', { date: formatDate(passkey.date_last_used, 'short') })
            : t('not used yet')}
        </p>
      </div>
      <span className="row-actions">
        <button type="button" className="link" onClick={() => renamePasskey(passkey)}>
          {t('Rename')}
        </button>
        <button type="button" className="link danger" onClick={() => removePasskey(passkey, of)}>
          {t('Remove')}
        </button>
      </span>
    </li>
  )
}
