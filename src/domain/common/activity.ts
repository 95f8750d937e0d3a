/**
 * What this process hears of workspaces that may give the background loops new work. Whoever runs the loops follows it;
 * without a follower, as in the command line, nothing is kept.
 */
import { perService } from "./per_service.ts";

/**
 * What a step of a loop in a workspace leaves. `true`: more to do now. `false`: nothing until somebody changes something.
 * `later`: work that must wait for somebody else, for instance until another transaction ends; the loop tries again after
 * its rest. A date: there is nothing to do before.
 */
export type StepEnd = boolean | "later" | Date;

export interface ActivityFollower {
  /** The feed of a workspace has reached `seq`, by a change of this process or of another one. */
  noteMove(workspaceId: string, seq: number, isOwn: boolean): void;
  /**
   * This process has written to a workspace's audit log; its feed may have stayed as it was.
   * @param isServed whether a request or a loop of the workspace did it, and not an admin
   */
  noteUse(workspaceId: string, isServed: boolean): void;
  /** Notifications of other processes may have been lost. */
  noteGap(): void;
}

export class Activity {
  #follower: ActivityFollower | undefined;

  follow(follower: ActivityFollower): void {
    this.#follower = follower;
  }

  noteMove(workspaceId: string, seq: number, isOwn: boolean): void {
    this.#follower?.noteMove(workspaceId, seq, isOwn);
  }

  noteUse(workspaceId: string, isServed = true): void {
    this.#follower?.noteUse(workspaceId, isServed);
  }

  noteGap(): void {
    this.#follower?.noteGap();
  }
}

export const activityOf = perService(() => new Activity());
