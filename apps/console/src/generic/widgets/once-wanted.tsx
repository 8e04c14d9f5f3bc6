import { type ComponentType, createContext, type ReactNode, useContext } from 'react'
import { lazily } from '../../design/lazily.tsx'
import type { WidgetProps } from '../view/form-view.ts'

/**
 * Whether the form is on the screen already. Selects and the like take longer to draw than all else
 * of a form; a person who opens it can type into its first field before.
 */
export const OnScreen = createContext(true)

/** Keeps the place of a widget. */
const BOX = <span className="select-ghost" />

/** A widget that is drawn once the plain ones of its form are on the screen. */
export function AfterPlainOnes({ children }: { children: ReactNode }) {
  return useContext(OnScreen) ? children : BOX
}

/** A widget that takes longer to draw than plain ones, and is drawn after them. */
export function afterPlainOnes<P extends object>(Part: ComponentType<P>) {
  return (props: P) => (
    <AfterPlainOnes>
      <Part {...props} />
    </AfterPlainOnes>
  )
}

/** A widget whose code comes with the first form that has it; an empty box keeps its place. */
// biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
export function onceWanted<V = any>(load: () => Promise<ComponentType<WidgetProps<V>>>) {
  const Part = lazily<WidgetProps<V>>(load, BOX)
  const widget = (props: WidgetProps<V>) => (
    <AfterPlainOnes>
      <Part {...props} />
    </AfterPlainOnes>
  )
  return Object.assign(widget, { preload: Part.preload })
}
