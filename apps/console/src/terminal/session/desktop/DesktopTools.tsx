import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
import { Tooltip } from 'antd'
import {
  ClipboardIcon,
  ClipboardPasteIcon,
  ExpandIcon,
  KeyboardIcon,
  LockIcon,
  ScalingIcon,
  ScanTextIcon,
  ShrinkIcon,
  TypeIcon,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Modal } from '../../../design/Modal.tsx'
import { copyText } from '../../../lib/clipboard.ts'
import { t } from '../../../lib/i18n.ts'
import { Dropdown } from '../../Dropdown.tsx'
import { KEYS, type Key } from './keys.ts'

export interface DesktopToolsProps {
  /** The machine's clipboard. */
  copied: string
  isScaled: boolean
  /** In the dots of this screen. */
  isSharp: boolean
  /** It fills the screen. */
  isFull: boolean
  /** The line is broken just now. */
  isAway: boolean
  isLocked: boolean
  /** Somebody else has the keys. */
  isDriven: boolean
  /** How the gateway pastes what the machine has no keys for; undefined: there is no choice. */
  pasteKeys: PasteKeys | undefined
  /** Milliseconds to the gateway and back. */
  delay: number | undefined
  onScaled: (scaled: boolean) => void
  onSharp: (sharp: boolean) => void
  /** On a phone. */
  onKeyboard: () => void
  onPress: (keys: readonly Key[]) => void
  onPaste: (text: string) => void
  onPasteKeys: (keys: PasteKeys) => void
  onFullScreen: () => void
  /** The person is back at the desktop. */
  onClosed: () => void
  /** What belongs to every session. */
  children: ReactNode
}

/** What belongs to one desktop: keys that browsers keep for themselves, clipboard, size. */
export function DesktopTools(props: DesktopToolsProps) {
  const { copied, isScaled, isSharp, isFull, isAway, isLocked, isDriven, delay, pasteKeys, children } = props
  const { onScaled, onSharp, onPress, onPaste, onPasteKeys, onKeyboard, onFullScreen, onClosed } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <nav className="wt-side" aria-label={t('Desktop')} hidden={isAway}>
      <Dropdown
        trigger={['click']}
        placement="bottomRight"
        menu={{ items: KEY_NAMES.map(({ key, label }) => ({ key, label, onClick: () => onPress(KEYS[key]) })) }}
      >
        <Button type="text" icon={<KeyboardIcon />} aria-label={t('Send keys')} title={t('Send keys')} />
      </Dropdown>
      <Button
        type="text"
        icon={<ClipboardIcon />}
        aria-label={t('Clipboard')}
        title={t('Clipboard')}
        onClick={() => setOpen(true)}
      />
      {pasteKeys && (
        <Dropdown
          trigger={['click']}
          placement="bottomRight"
          menu={{
            selectable: true,
            selectedKeys: [pasteKeys],
            items: pasteChoices().map(({ key, label }) => ({ key, label, onClick: () => onPasteKeys(key) })),
          }}
        >
          <Button type="text" icon={<ClipboardPasteIcon />} aria-label={t('Paste keys')} title={t('Paste keys')} />
        </Dropdown>
      )}
      <Button
        type="text"
        icon={<ScalingIcon />}
        aria-label={t('Fit the window')}
        title={t('Fit the window')}
        aria-pressed={isScaled}
        onClick={() => onScaled(!isScaled)}
      />
      {devicePixelRatio > 1 && (
        <Button
          type="text"
          icon={<ScanTextIcon />}
          aria-label={t('Match device pixels')}
          title={t('Match device pixels')}
          aria-pressed={isSharp}
          onClick={() => onSharp(!isSharp)}
        />
      )}
      {matchMedia('(pointer: coarse)').matches && (
        <Button type="text" icon={<TypeIcon />} aria-label={t('Keyboard')} title={t('Keyboard')} onClick={onKeyboard} />
      )}
      {document.fullscreenEnabled && (
        <Button
          type="text"
          icon={isFull ? <ShrinkIcon /> : <ExpandIcon />}
          aria-label={t('Full screen')}
          title={t('Full screen')}
          aria-pressed={isFull}
          onClick={onFullScreen}
        />
      )}
      {children}
      {delay !== undefined && <Delay ms={delay} />}
      {isDriven && (
        <Tooltip title={t('Someone else has control.')} placement="left">
          <LockIcon className="wt-locked" aria-label={t('Someone else has control.')} />
        </Tooltip>
      )}
      {isLocked && (
        <Tooltip title={t('The input of this session is locked.')} placement="left">
          <LockIcon className="wt-locked" aria-label={t('The input of this session is locked.')} />
        </Tooltip>
      )}
      <ClipboardDialog {...{ isOpen, copied, isAway, onPaste, onClosed }} onClose={() => setOpen(false)} />
    </nav>
  )
}

const KEY_NAMES = [
  { key: 'ctrlAltDelete', label: 'Ctrl+Alt+Delete' },
  { key: 'ctrlAltBackspace', label: 'Ctrl+Alt+Backspace' },
  { key: 'altTab', label: 'Alt+Tab' },
  { key: 'altF4', label: 'Alt+F4' },
  { key: 'windows', label: 'Windows' },
  { key: 'printScreen', label: 'Print Screen' },
  { key: 'escape', label: 'Esc' },
] as const

interface ClipboardDialogProps extends Pick<DesktopToolsProps, 'copied' | 'isAway' | 'onPaste' | 'onClosed'> {
  isOpen: boolean
  onClose: () => void
}

/** The machine's clipboard as text, to copy or to replace. */
function ClipboardDialog({ isOpen, copied, isAway, onPaste, onClosed, onClose }: ClipboardDialogProps) {
  /** Undefined until the person types: the machine's clipboard is shown. */
  const [typed, setTyped] = useState<string>()
  const text = typed ?? copied
  const close = () => {
    onClose()
    setTyped(undefined)
  }
  const closing = (work: () => void) => {
    work()
    close()
  }
  return (
    <Modal
      open={isOpen}
      title={t('Clipboard')}
      onCancel={close}
      afterClose={onClosed}
      destroyOnHidden
      footer={[
        <Button key="copy" onClick={() => closing(() => void copyText(text))}>
          {t('Copy here')}
        </Button>,
        <Button key="send" type="primary" disabled={isAway} onClick={() => closing(() => onPaste(text))}>
          {t('Send to the desktop')}
        </Button>,
      ]}
    >
      <textarea
        className="wt-desktop-clipboard"
        aria-label={t('Clipboard')}
        rows={8}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: a dialog that was asked for, with nothing else to fill in
        autoFocus
        onChange={({ target }) => setTyped(target.value)}
      />
    </Modal>
  )
}

/** How programs on a machine paste what it has no keys for, such as Chinese. */
const pasteChoices = (): { key: PasteKeys; label: string }[] => [
  { key: 'ctrl_v', label: t('Chinese and the like: Ctrl+V (most programs)') },
  { key: 'ctrl_shift_v', label: t('Chinese and the like: Ctrl+Shift+V (most terminals)') },
  { key: 'shift_insert', label: t('Chinese and the like: Shift+Insert') },
  { key: 'none', label: t('Chinese and the like: to the clipboard alone, I paste it') },
]

/** Above these, typing is felt to lag, and hardly to be possible. */
const SLOW_MS = 120
const VERY_SLOW_MS = 400

function Delay({ ms }: { ms: number }) {
  const quality = ms < SLOW_MS ? 'good' : ms < VERY_SLOW_MS ? 'fair' : 'poor'
  const words = t('Round trip to the server: {{ms}} ms', { ms })
  return (
    <Tooltip title={words} placement="left">
      <span className="wt-desktop-delay" data-quality={quality} role="img" aria-label={words}>
        {ms} ms
      </span>
    </Tooltip>
  )
}
