import type { ReactNode } from 'react'
import { sharedValue } from '../../lib/hooks/shared-value.ts'

/** Waits for an answer. */
export interface Question {
  kind: 'question'
  title: string
  content?: ReactNode
  okText: string
  /** Without it there is one button alone. */
  cancelText?: string
  isDanger: boolean
  /** It stays open while this goes on, and when it fails. */
  onOk: () => Promise<void> | void
  /** Cancel and Escape; without it neither is to be had. */
  onCancel?: () => void
}

/** Shows something, with a cross that closes it. */
export interface Shown {
  kind: 'shown'
  title: string
  width: number | string | undefined
  content: ReactNode | ((close: () => void) => ReactNode)
}

type Asked = (Question | Shown) & { key: number }

const asked = sharedValue<readonly Asked[]>([])
let last = 0

/** Puts a dialog over all others; it waits where there is no place for it yet. */
export function addDialog(dialog: Question | Shown): void {
  asked.set([...asked.get(), { ...dialog, key: ++last }])
}

/** Takes it away. */
export function removeDialog(key: number): void {
  asked.set(asked.get().filter((one) => one.key !== key))
}

/** Whether it is still open. */
export const isDialogOpen = (key: number): boolean => asked.get().some((one) => one.key === key)

/** Takes all of them away, as in another page load. */
export function forgetDialogs(): void {
  asked.set([])
}

/** The dialogs that plain functions have asked for, the upper ones last. */
export const useAskedDialogs = asked.use
