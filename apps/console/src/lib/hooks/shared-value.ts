import { useSyncExternalStore } from 'react'

/** Tells components that something outside of them has changed. */
export function changeSignal() {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify(): void {
      for (const listener of listeners) listener()
    },
  }
}

/** A value outside of components, which plain functions change and components draw. */
export function sharedValue<T>(first: T) {
  let value = first
  const { subscribe, notify } = changeSignal()
  const get = (): T => value
  return {
    get,
    set(next: T): void {
      value = next
      notify()
    },
    /** The value; the component is drawn again when it changes. */
    use: (): T => useSyncExternalStore(subscribe, get),
  }
}
