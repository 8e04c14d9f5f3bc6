import type { PasteKeys } from '@sallyport/contract/socket/desktop.ts'
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
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Dialog } from '../../../design/dialogs/Dialog.tsx'
import { useMenu } from '../../../design/popups/menu.tsx'
import { tip } from '../../../design/tip.ts'
import { copyText } from '../../../lib/clipboard.ts'
import { t } from '../../../lib/i18n.ts'
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
  const keyMenu = useMenu({ items: KEY_NAMES, onChoose: (key) => onPress(KEYS[key as keyof typeof KEYS]) })
  const pasteMenu = useMenu({
    items: pasteChoices,
    chosen: pasteKeys ? [pasteKeys] : [],
    onChoose: (key) => onPasteKeys(key as PasteKeys),
  })
  return (
    <nav className="wt-side" aria-label={t('Desktop')} hidden={isAway}>
      <Button
        {...keyMenu.trigger}
        type="text"
        icon={<KeyboardIcon />}
        aria-label={t('Send keys')}
        title={t('Send keys')}
      />
      {keyMenu.popup}
      <Button
        type="text"
        icon={<ClipboardIcon />}
        aria-label={t('Clipboard')}
        title={t('Clipboard')}
        onClick={() => setOpen(true)}
      />
      {pasteKeys && (
        <Button
          {...pasteMenu.trigger}
          type="text"
          icon={<ClipboardPasteIcon />}
          aria-label={t('Paste keys')}
          title={t('Paste keys')}
        />
      )}
      {pasteMenu.popup}
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
      {isDriven && <Lock words={t('Someone else has control.')} />}
      {isLocked && <Lock words={t('The input of this session is locked.')} />}
      {isOpen && <ClipboardDialog {...{ copied, isAway, onPaste, onClosed }} onClose={() => setOpen(false)} />}
    </nav>
  )
}

function Lock({ words }: { words: string }) {
  return (
    <span {...tip(words, 'before')}>
      <LockIcon className="wt-locked" aria-label={words} />
    </span>
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
  onClose: () => void
}

/** The machine's clipboard as text, to copy or to replace. */
function ClipboardDialog({ copied, isAway, onPaste, onClosed, onClose }: ClipboardDialogProps) {
  /** Undefined until the person types: the machine's clipboard is shown. */
  const [typed, setTyped] = useState<string>()
  const text = typed ?? copied
  const isDone = useRef(onClosed)
  isDone.current = onClosed
  useEffect(() => () => isDone.current(), [])
  const closing = (work: () => void) => {
    work()
    onClose()
  }
  return (
    <Dialog
      title={t('Clipboard')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={() => closing(() => void copyText(text))}>{t('Copy here')}</Button>
          <Button type="primary" disabled={isAway} onClick={() => closing(() => onPaste(text))}>
            {t('Send to the desktop')}
          </Button>
        </>
      }
    >
      <textarea
        className="wt-desktop-clipboard"
        aria-label={t('Clipboard')}
        rows={8}
        value={text}
        onChange={({ target }) => setTyped(target.value)}
      />
    </Dialog>
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
    <span {...tip(words, 'before')} className="wt-desktop-delay" data-quality={quality} role="img" aria-label={words}>
      {ms} ms
    </span>
  )
}
