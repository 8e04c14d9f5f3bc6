import type { Chat, ChatName } from './chat.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'

export const CHATS: Readonly<Record<ChatName, Chat>> = { slack, teams }

export const chats: readonly Chat[] = Object.values(CHATS)
