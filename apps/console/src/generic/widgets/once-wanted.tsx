import type { ComponentType } from 'react'
import { lazily } from '../../design/lazily.tsx'
import type { WidgetProps } from '../view/form-view.ts'

/** A widget whose code comes with the first form that has it; an empty box keeps its place. */
// biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
export function onceWanted<V = any>(load: () => Promise<ComponentType<WidgetProps<V>>>) {
  return lazily<WidgetProps<V>>(load, <span className="select-ghost" />)
}
