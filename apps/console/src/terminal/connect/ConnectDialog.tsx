import { useId, useState } from 'react'
import { Select } from '../../design/boxes/Select.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { DialogButtons } from '../../design/dialogs/DialogButtons.tsx'
import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { RadioGroup } from '../../design/inputs/RadioGroup.tsx'
import { SecretInput } from '../../design/inputs/SecretInput.tsx'
import { Named } from '../../design/Named.tsx'
import { t } from '../../lib/i18n.ts'
import { ONLY_IN_PAGE } from '../../lib/only-in-page.ts'
import { protocolName } from '../../lib/protocol-name.ts'
import type { ConnectType } from './connect-types.ts'
import { groupSystemUsers, type SystemUser, systemUserLabel } from './system-user-choice.ts'

export interface ConnectAnswer {
  systemUser: SystemUser
  /** Typed for a manual sign-in; an empty password makes the terminal ask for it. */
  username: string
  password: string
  type: ConnectType
  /** Connect like this next time, without asking. */
  remember: boolean
}

export interface ConnectDialogProps {
  title: string
  choices: readonly SystemUser[]
  preselected: SystemUser
  lastUsed: string | undefined
  /** The user name that a manual sign-in begins with. */
  usernameFor: (systemUser: SystemUser) => string
  /** Ways to connect as a system user; asked for where there are several. */
  typesFor: (systemUser: SystemUser) => readonly ConnectType[]
  /** The way that is chosen at first. */
  usualTypeFor: (systemUser: SystemUser) => ConnectType
  onConfirm: (answer: ConnectAnswer) => Promise<void>
  onClose: () => void
}

/**
 * Asks with which system user, and with what credentials where these are typed. Enter confirms;
 * only the buttons close it.
 */
export function ConnectDialog(props: ConnectDialogProps) {
  const { title, choices, preselected, lastUsed, usernameFor, typesFor, usualTypeFor, onConfirm, onClose } = props
  const [chosen, setChosen] = useState(preselected)
  const [username, setUsername] = useState(() => usernameFor(preselected))
  const [password, setPassword] = useState('')
  const [type, setType] = useState(() => usualTypeFor(preselected))
  const [remember, setRemember] = useState(false)
  const [busy, setBusy] = useState(false)
  const id = useId()
  const manual = chosen.login_mode === 'manual'
  const types = typesFor(chosen)
  // A client of one's own can't be asked for it.
  const isMissing = manual && type !== 'web' && password === ''

  const choose = (next: SystemUser) => {
    setChosen(next)
    setUsername(usernameFor(next))
    setPassword('')
    setType(usualTypeFor(next))
  }
  const submit = async () => {
    if (busy || isMissing) return
    setBusy(true)
    try {
      await onConfirm({
        systemUser: chosen,
        username: manual ? username.trim() : '',
        password: manual ? password : '',
        type,
        remember,
      })
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={title}
      width={500}
      onSubmit={() => void submit()}
      foot={
        <DialogButtons
          okText={t('Confirm')}
          isPending={busy}
          isDisabled={isMissing}
          // Where nothing is missing, Enter goes on at once.
          {...(manual ? {} : { focused: 'ok' as const })}
          onCancel={onClose}
        />
      }
    >
      <div className="wt-form">
        <SystemUserSelect
          id={`${id}-user`}
          {...{ choices, chosen, lastUsed }}
          onChoose={choose}
          onConfirm={() => void submit()}
        />
        {manual ? (
          // Made again for each system user, so that the focus goes there again.
          <Credentials
            key={chosen.id}
            {...{ id, username, password }}
            hint={
              type === 'web'
                ? t('Without a password the terminal asks for it.')
                : t('Your own client cannot ask for it: enter the password here.')
            }
            onUsername={setUsername}
            onPassword={setPassword}
          />
        ) : (
          <Checkbox checked={remember} onChange={setRemember}>
            {t('Sign in automatically next time')}
          </Checkbox>
        )}
        {types.length > 1 && <ConnectTypes {...{ types, type }} onType={setType} />}
      </div>
    </Dialog>
  )
}

interface SystemUserSelectProps {
  id: string
  choices: readonly SystemUser[]
  chosen: SystemUser
  lastUsed: string | undefined
  onChoose: (systemUser: SystemUser) => void
  /** Enter in the closed box, which confirms as everywhere in the dialog. */
  onConfirm: () => void
}

function SystemUserSelect({ id, choices, chosen, lastUsed, onChoose, onConfirm }: SystemUserSelectProps) {
  return (
    <>
      <label htmlFor={id}>{t('Select system users')}</label>
      <Select
        id={id}
        value={chosen.id}
        onChange={(value) => onChoose(choices.find((choice) => choice.id === value) ?? chosen)}
        onEnter={onConfirm}
        options={groupSystemUsers(choices, lastUsed).flatMap(({ protocol, users }) =>
          users.map((user) => ({
            value: user.id,
            label: <Named text={systemUserLabel(user)} />,
            text: systemUserLabel(user),
            group: protocol ? protocolName(protocol) : t('Last login'),
          })),
        )}
      />
    </>
  )
}

interface CredentialsProps {
  id: string
  username: string
  password: string
  onUsername: (username: string) => void
  onPassword: (password: string) => void
  hint: string
}

function Credentials({ id, username, password, onUsername, onPassword, hint }: CredentialsProps) {
  const [isNameMissing] = useState(username === '')
  return (
    <>
      <label htmlFor={`${id}-name`}>{t('Username')}</label>
      <Input id={`${id}-name`} autoFocus={isNameMissing} autoComplete="off" value={username} onChange={onUsername} />
      <label htmlFor={`${id}-password`}>{t('Password')}</label>
      <SecretInput
        id={`${id}-password`}
        autoFocus={!isNameMissing}
        autoComplete="off"
        value={password}
        onChange={onPassword}
      />
      <p className="wt-hint">{hint}</p>
    </>
  )
}

interface ConnectTypesProps {
  types: readonly ConnectType[]
  type: ConnectType
  onType: (type: ConnectType) => void
}

/** In the page, or with a client of one's own. */
function ConnectTypes({ types, type, onType }: ConnectTypesProps) {
  const labels: Record<ConnectType, string> = {
    web: t('Web GUI'),
    rdp_client: t('RDP Client'),
    rdp_file: t('RDP File'),
  }
  return (
    <fieldset className="wt-types">
      <legend>{t('Connect Type')}</legend>
      <RadioGroup
        aria-label={t('Connect Type')}
        value={type}
        onChange={onType}
        options={types.map((value) => ({ value, label: labels[value] }))}
      />
      {type !== 'web' && <p className="wt-hint">{ONLY_IN_PAGE()}</p>}
    </fieldset>
  )
}
