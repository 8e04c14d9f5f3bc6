import './passkeys-panel.css'
import { useQuery } from '@tanstack/react-query'
import { Button, Switch } from 'antd'
import { ask, openDialog, showError, showSuccess } from '../../design/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { makePasskey, passkeysWork } from '../../lib/passkey.ts'
import { forget, keys } from '../../lib/query.ts'
import { PROFILE_PATH } from './own-profile.ts'
import { PasskeyFormPanel, type PasskeyValues } from './PasskeyFormPanel.tsx'

const PATH = '/api/v1/authentication/passkeys/'

interface Passkey {
  id: string
  name: string
  date_created: string
  date_last_used: string | null
}

interface Passkeys {
  passkeys: Passkey[]
  /**
   * What must be proven before they are changed; the server asks for the second factor by itself.
   */
  proof: 'none' | 'mfa' | 'password' | 'sign_in'
  mfa_enabled: boolean
  mfa_forced: boolean
  max: number
}

const WIDTH = 'min(480px, 94vw)'

/**
 * The person's own passkeys: added, named and removed; a change needs a fresh proof of who they
 * are.
 */
export function PasskeysPanel() {
  const { data } = useQuery({
    queryKey: keys.one(PATH, 'mine'),
    queryFn: ({ signal }) => api.get<Passkeys>(PATH, { signal }),
  })
  if (!data) return null
  const { passkeys, proof, max } = data
  const withPassword = proof === 'password'
  const done = async (text: string) => {
    showSuccess(text)
    await forget(PATH)
  }

  const add = () =>
    openDialog({
      title: t('Add a passkey'),
      width: WIDTH,
      content: (close) => (
        <PasskeyFormPanel
          help={t('Give it the name of the device that will keep it. Your browser asks for the rest.')}
          name=""
          withPassword={withPassword}
          okText={t('Continue')}
          onClose={close}
          onSubmit={async ({ name, password }) => {
            const answer = await makePasskey(await api.post(`${PATH}options/`, { password }, { quiet: true }))
            await api.post(PATH, { name, answer }, { quiet: true })
            close()
            await done(t('Passkey added'))
            if (!data.mfa_enabled && !passkeys.length) await offerMfa()
          }}
        />
      ),
    })
  const rename = ({ id, name }: Passkey) =>
    openDialog({
      title: t('Rename'),
      width: WIDTH,
      content: (close) => (
        <PasskeyFormPanel
          name={name}
          okText={t('Confirm')}
          onClose={close}
          onSubmit={async (values) => {
            await api.patch(`${PATH}${id}/`, { name: values.name }, { quiet: true })
            close()
            await done(t('Update success'))
          }}
        />
      ),
    })
  const remove = ({ id, name }: Passkey) =>
    openDialog({
      title: t('Remove the passkey “{{name}}”?', { name }),
      width: WIDTH,
      content: (close) => (
        <PasskeyFormPanel
          help={t('It can no longer be used to sign in here. Delete it on the device that keeps it as well.')}
          withPassword={withPassword}
          okText={t('Remove')}
          danger
          onClose={close}
          onSubmit={async ({ password }: PasskeyValues) => {
            await api.delete(`${PATH}${id}/`, { body: { password }, quiet: true })
            close()
            await done(t('Passkey removed'))
          }}
        />
      ),
    })

  return (
    <section className="panel">
      <h2>{t('Passkeys')}</h2>
      <div className="inside">
        <p className="passkey-help">
          {t(
            'Sign in with the finger, face or PIN of a device, or with a security key. A passkey cannot be guessed, and fake pages get nothing from it.',
          )}
        </p>
        <ul className="passkeys">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
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
                <button type="button" className="link" onClick={() => rename(passkey)}>
                  {t('Rename')}
                </button>
                <button type="button" className="link danger" onClick={() => remove(passkey)}>
                  {t('Remove')}
                </button>
              </span>
            </li>
          ))}
        </ul>
        {passkeys.length > 0 && (
          <div className="passkey-mfa">
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
          <Button disabled={passkeys.length >= max} onClick={add}>
            {t('Add a passkey')}
          </Button>
        ) : (
          <p className="passkey-help">
            {t('To add one, open this site by its name and HTTPS in a browser that knows passkeys.')}
          </p>
        )}
      </div>
    </section>
  )
}

async function offerMfa(): Promise<void> {
  const wanted = await ask({
    title: t('Ask for it after the password, too?'),
    content: t(
      'With MFA on, your password alone opens nothing: the passkey is asked for as well. You can switch it off again on this page.',
    ),
    okText: t('Switch MFA on'),
    cancelText: t('Not now'),
  })
  if (wanted) await switchMfa(true)
}

/** Off needs the factor itself, which the client asks for. */
async function switchMfa(on: boolean): Promise<void> {
  try {
    await api.patch(PROFILE_PATH, { mfa_level: on ? 1 : 0 }, { quiet: true })
    showSuccess(on ? t('MFA is on') : t('MFA is off'))
  } catch (error) {
    showError(errorText(error))
  } finally {
    await Promise.all([forget(PROFILE_PATH), forget(PATH)])
  }
}
