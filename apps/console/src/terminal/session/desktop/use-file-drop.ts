import { type DragEvent, type RefObject, useState } from 'react'

export interface FileDrop {
  /** Files hang over the pane. */
  isOver: boolean
  handlers: {
    onDragOver: (event: DragEvent) => void
    onDragLeave: (event: DragEvent) => void
    onDrop: (event: DragEvent) => void
  }
}

/**
 * Files that are dropped on a pane. Taken or not: the browser would open a file in place of the page.
 * `onFiles` hears as well what of it were folders, of which browsers give no content.
 */
export function useFileDrop(
  pane: RefObject<HTMLElement | null>,
  onFiles: (files: File[], folders: string[]) => void,
): FileDrop {
  const [isOver, setOver] = useState(false)
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  return {
    isOver,
    handlers: {
      onDragOver(event) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave({ relatedTarget }) {
        if (!(relatedTarget instanceof Node && pane.current?.contains(relatedTarget))) setOver(false)
      },
      onDrop(event) {
        setOver(false)
        if (!hasFiles(event)) return
        event.preventDefault()
        onFiles(...sorted(event.dataTransfer))
      },
    },
  }
}

/** The files in it, and the names of the folders. */
export function sorted({ items, files }: Pick<DataTransfer, 'items' | 'files'>): [files: File[], folders: string[]] {
  const isFolder = [...(items ?? [])]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry?.()?.isDirectory === true)
  const all = [...files]
  return [all.filter((_, n) => !isFolder[n]), all.filter((_, n) => isFolder[n]).map(({ name }) => name)]
}
