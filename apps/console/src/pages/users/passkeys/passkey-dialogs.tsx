import { ask, openDialog, showError, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { makePasskey } from '../../../lib/passkey.ts'
import { forget } from '../../../lib/query.ts'
import { PROFILE_PATH } from '../own-profile.ts'
import { PasskeyFormPanel, type PasskeyValues } from './PasskeyFormPanel.tsx'

export const PASSKEYS_PATH = '/api/v1/authentication/passkeys/'

export interface Passkey {
  id: string
  name: string
  date_created: string
  date_last_used: string | null
}

export interface Passkeys {
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

/** Asks for a name, and lets the browser make the passkey. */
export const addPasskey = ({ proof, mfa_enabled, passkeys }: Passkeys) =>
  openDialog({
    title: t('Add a passkey'),
    width: WIDTH,
    content: (close) => (
      <PasskeyFormPanel
        help={t('Give it the name of the device that will keep it. Your browser asks for the rest.')}
        name=""
        withPassword={proof === 'password'}
        okText={t('Continue')}
        onClose={close}
        onSubmit={async ({ name, password }) => {
          const answer = await makePasskey(await api.post(`${PASSKEYS_PATH}options/`, { password }, { quiet: true }))
          await api.post(PASSKEYS_PATH, { name, answer }, { quiet: true })
          close()
          await done(t('Passkey added'))
          if (!mfa_enabled && !passkeys.length) await offerMfa()
        }}
      />
    ),
  })

export const renamePasskey = ({ id, name }: Passkey) =>
  openDialog({
    title: t('Rename'),
    width: WIDTH,
    content: (close) => (
      <PasskeyFormPanel
        name={name}
        okText={t('Confirm')}
        onClose={close}
        onSubmit={async (values) => {
          await api.patch(`${PASSKEYS_PATH}${id}/`, { name: values.name }, { quiet: true })
          close()
          await done(t('Saved'))
        }}
      />
    ),
  })

export const removePasskey = ({ id, name }: Passkey, { proof }: Passkeys) =>
  openDialog({
    title: t('Remove the passkey “{{name}}”?', { name }),
    width: WIDTH,
    content: (close) => (
      <PasskeyFormPanel
        help={t('It can no longer be used to sign in here. Delete it on the device that keeps it as well.')}
        withPassword={proof === 'password'}
        okText={t('Remove')}
        danger
        onClose={close}
        onSubmit={async ({ password }: PasskeyValues) => {
          await api.delete(`${PASSKEYS_PATH}${id}/`, { body: { password }, quiet: true })
          close()
          await done(t('Passkey removed'))
        }}
      />
    ),
  })

async function done(text: string): Promise<void> {
  showSuccess(text)
  await forget(PASSKEYS_PATH)
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
export async function switchMfa(on: boolean): Promise<void> {
  try {
    await api.patch(PROFILE_PATH, { mfa_level: on ? 1 : 0 }, { quiet: true })
    showSuccess(on ? t('MFA is on') : t('MFA is off'))
  } catch (error) {
    showError(errorText(error))
  } finally {
    await Promise.all([forget(PROFILE_PATH), forget(PASSKEYS_PATH)])
  }
}
