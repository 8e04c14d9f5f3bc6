import type { ResourcePages } from './define-pages.ts'
import { lazily } from './lazily.tsx'

export interface FormPageProps {
  pages: ResourcePages
  base: string
  title: string
  mode: 'create' | 'update'
}

/** Create and update page of a resource (spec A2.91 to A2.96). */
export const FormPage = lazily<FormPageProps>(() => import('./FormPageBody.tsx').then((m) => m.FormPageBody))
