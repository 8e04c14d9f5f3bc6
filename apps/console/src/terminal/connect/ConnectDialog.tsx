import { Button, Checkbox, Input, type InputRef, Modal, Select } from 'antd'
import { type FormEvent, Fragment, useId, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { groupSystemUsers, type SystemUser, systemUserLabel } from './system-user-choice.ts'

export interface ConnectAnswer {
  systemUser: SystemUser
  /** Typed for a manual sign-in; an empty password makes the terminal ask for it. */
  username: string
  password: string
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
  onConfirm: (answer: ConnectAnswer) => Promise<void>
  onCancel: () => void
}

/**
 * Asks with which system user, and with what credentials where these are typed. Enter confirms;
 * only the buttons close it.
 */
export function ConnectDialog({
  title,
  choices,
  preselected,
  lastUsed,
  usernameFor,
  onConfirm,
  onCancel,
}: ConnectDialogProps) {
  const [chosen, setChosen] = useState(preselected)
  const [username, setUsername] = useState(() => usernameFor(preselected))
  const [password, setPassword] = useState('')
  const [remember, setRemember] = useState(false)
  const [busy, setBusy] = useState(false)
  const [open, setOpen] = useState(false)
  const usernameRef = useRef<InputRef>(null)
  const passwordRef = useRef<InputRef>(null)
  const id = useId()
  const manual = chosen.login_mode === 'manual'

  /** Focus goes where something is missing. */
  const focusMissing = () => (username ? passwordRef : usernameRef).current?.focus()

  const choose = (id: string) => {
    const next = choices.find((choice) => choice.id === id) ?? chosen
    setChosen(next)
    setUsername(usernameFor(next))
    setPassword('')
  }
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    if (busy) return
    setBusy(true)
    try {
      await onConfirm({
        systemUser: chosen,
        username: manual ? username.trim() : '',
        password: manual ? password : '',
        remember,
      })
    } finally {
      setBusy(false)
    }
  }

  return (
    <Modal
      open
      title={title}
      width={500}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      onCancel={onCancel}
      modalRender={(content) => <form onSubmit={(event) => void submit(event)}>{content}</form>}
      // The dialog takes the focus itself once it stands.
      afterOpenChange={(shown) => shown && focusMissing()}
      footer={[
        <Button key="cancel" onClick={onCancel}>
          {t('Cancel')}
        </Button>,
        <Button key="ok" type="primary" htmlType="submit" loading={busy} autoFocus={!manual}>
          {t('Confirm')}
        </Button>,
      ]}
    >
      <div className="wt-form">
        <label htmlFor={`${id}-user`}>{t('Select system users')}</label>
        <Select
          id={`${id}-user`}
          value={chosen.id}
          onChange={choose}
          showSearch={{ optionFilterProp: 'label' }}
          open={open}
          onOpenChange={setOpen}
          onInputKeyDown={(event) => {
            // Enter in the closed box confirms the dialog, as everywhere in it.
            if (event.key !== 'Enter' || open) return
            event.preventDefault()
            event.stopPropagation()
            void submit()
          }}
          options={groupSystemUsers(choices, lastUsed).map(({ protocol, users }) => ({
            label: protocol ?? t('Last login'),
            title: protocol ?? 'last',
            options: users.map((user) => ({ value: user.id, label: systemUserLabel(user) })),
          }))}
        />
        {manual && (
          // Made anew for each system user, so that the focus goes there again.
          <Fragment key={chosen.id}>
            <label htmlFor={`${id}-name`}>{t('Username')}</label>
            <Input
              id={`${id}-name`}
              ref={usernameRef}
              autoFocus={username === ''}
              autoComplete="off"
              value={username}
              onChange={({ target }) => setUsername(target.value)}
            />
            <label htmlFor={`${id}-password`}>{t('Password')}</label>
            <Input.Password
              id={`${id}-password`}
              ref={passwordRef}
              autoFocus={username !== ''}
              autoComplete="off"
              value={password}
              onChange={({ target }) => setPassword(target.value)}
            />
            <p className="wt-hint">{t('Without a password the terminal asks for it.')}</p>
          </Fragment>
        )}
        {!manual && (
          <Checkbox checked={remember} onChange={({ target }) => setRemember(target.checked)}>
            {t('Automatic login next')}
          </Checkbox>
        )}
      </div>
    </Modal>
  )
}
