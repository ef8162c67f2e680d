"""RQ jobs, each named like its queue, and the programs that run them: worker, scheduler and mail receiver."""
