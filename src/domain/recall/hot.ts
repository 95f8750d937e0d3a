// INTERIM until the hot tier lands; not committed.
export class HotTier {
  constructor(_options: { bytesMax: number; unitsMax: number }) {}
  noteSeq(_workspaceId: string, _seq: number): void {}
  noteGap(): void {}
}
