"""Tasks that require each other, each done when its file is there, in the process that asks for the last."""

import luigi
from steps import STEPS, step


class Run(luigi.Task):
    chain = luigi.Parameter()
    number = luigi.IntParameter()

    def requires(self):
        return [Run(self.chain, self.number - 1)] if self.number > 1 else []

    def output(self):
        return luigi.LocalTarget(f"targets/{self.chain}/{self.number}")

    def run(self):
        step(self.chain, self.number)
        with self.output().open("w"):
            pass


def submit(chains, again):
    luigi.build([Run(chain, STEPS) for chain in chains], local_scheduler=True, log_level="WARNING")
