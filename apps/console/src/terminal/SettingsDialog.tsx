import { useState } from 'react'
import { Select } from '../design/boxes/Select.tsx'
import { Dialog } from '../design/dialogs/Dialog.tsx'
import { DialogButtons } from '../design/dialogs/DialogButtons.tsx'
import { Checkbox } from '../design/inputs/Checkbox.tsx'
import { NumberInput } from '../design/inputs/NumberInput.tsx'
import { t } from '../lib/i18n.ts'
import { FONT_SIZE, type Preferences, RDP_SIZES, readPreferences, writePreferences } from './screen/preferences.ts'
import { TerminalLook } from './TerminalLook.tsx'

interface SettingsDialogProps {
  /** Whether people open desktops with clients of their own. */
  hasRdpClients: boolean
  onClose: () => void
}

/**
 * Settings of this browser. The tree follows at the next load of the page, terminals at once.
 */
export function SettingsDialog({ hasRdpClients, onClose }: SettingsDialogProps) {
  const [preferences, setPreferences] = useState(readPreferences)
  const { fontSize } = preferences
  const isFontSize = Number.isInteger(fontSize) && fontSize >= FONT_SIZE.min && fontSize <= FONT_SIZE.max
  const flags = [
    ['backspaceAsCtrlH', t('Backspace as Ctrl+H')],
    ['copyOnSelect', t('Copy what is selected')],
    ['rightClickPaste', t('Paste with the right mouse button')],
    ['confirmPaste', t('Ask before pasting several lines')],
    ['loadTreeAsync', t('Load asset tree lazily')],
  ] as const
  return (
    <Dialog
      title={t('Setting')}
      width={500}
      onClose={onClose}
      onSubmit={() => {
        if (!isFontSize) return
        writePreferences(preferences)
        onClose()
      }}
      foot={<DialogButtons okText={t('Confirm')} isDisabled={!isFontSize} onCancel={onClose} />}
    >
      <div className="wt-form">
        <label htmlFor="wt-font-size">{t('Font size')}</label>
        <NumberInput
          id="wt-font-size"
          isInteger
          value={fontSize}
          aria-invalid={!isFontSize || undefined}
          aria-describedby="wt-font-size-fault"
          onChange={(next) => setPreferences({ ...preferences, fontSize: next ?? Number.NaN })}
        />
        {!isFontSize && (
          <p className="wt-error" role="alert" id="wt-font-size-fault">
            {t('A whole number from {{min}} to {{max}}', FONT_SIZE)}
          </p>
        )}
        <TerminalLook preferences={preferences} onChange={setPreferences} />
        {flags.map(([name, label]) => (
          <Checkbox
            key={name}
            checked={preferences[name]}
            onChange={(isOn) => setPreferences({ ...preferences, [name]: isOn })}
          >
            {label}
          </Checkbox>
        ))}
        {hasRdpClients && <RdpOptions {...{ preferences }} onChange={setPreferences} />}
        <p className="wt-hint">{t('The tree follows when the page is loaded again; the rest applies at once.')}</p>
      </div>
    </Dialog>
  )
}

interface RdpOptionsProps {
  preferences: Preferences
  onChange: (preferences: Preferences) => void
}

/** What files and links for clients of RDP ask of them. */
function RdpOptions({ preferences, onChange }: RdpOptionsProps) {
  return (
    <fieldset className="wt-types">
      <legend>{t('RDP client options')}</legend>
      <Checkbox
        checked={preferences.rdpFullScreen}
        onChange={(rdpFullScreen) => onChange({ ...preferences, rdpFullScreen })}
      >
        {t('RDP full screen')}
      </Checkbox>
      <label htmlFor="wt-rdp-size">{t('RDP resolution')}</label>
      <Select
        id="wt-rdp-size"
        value={preferences.rdpSize}
        onChange={(rdpSize) => onChange({ ...preferences, rdpSize })}
        options={RDP_SIZES.map((value) => ({ value, label: value === 'auto' ? t('Auto') : value }))}
      />
    </fieldset>
  )
}
