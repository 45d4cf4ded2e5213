"""Reference solutions against independent implementations: Opacus, scikit-learn, SciPy, PyTorch's older API."""

import copy
import math

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse.linalg
import torch
from conftest import ROOT, read, role
from opacus import GradSampleModule
from opacus.accountants import RDPAccountant
from sklearn.linear_model import LogisticRegression

F64 = torch.float64


def solutions(assignment):
    """The names that an assignment's set-up and reference solutions define."""
    names = {}
    for cell in read(ROOT / "source" / assignment / f"{assignment}.ipynb").cells:
        if cell.cell_type == "code" and (role(cell).get("solution") or not role(cell).get("grade")):
            exec(compile(cell.source, f"{assignment}/{cell.id}", "exec"), names)
    return names


def draw(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)).to(F64)


def test_05_head_gradients_are_those_of_opacus(network):
    X, Y = draw(6, 3, seed=1), draw(6, 2, seed=2)
    hooked = GradSampleModule(copy.deepcopy(network), loss_reduction="sum")
    ((hooked(X) - Y) ** 2).mean(dim=1).sum().backward()
    ours = solutions("05_modules")["head_gradients"](network, "2.", X, Y)
    theirs = {name.removeprefix("_module."): parameter.grad_sample for name, parameter in hooked.named_parameters()}
    for name, value in ours.items():
        torch.testing.assert_close(value, theirs[name])


def test_06_jacobians_are_those_of_finite_differences():
    names = solutions("06_jacobians")
    A, x = draw(3, 4, seed=3), draw(4, seed=4)

    def f(x):
        return torch.sin(A @ x) * x.sum()

    by_hand = torch.stack([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in torch.eye(4, dtype=F64)], dim=1)
    torch.testing.assert_close(names["jacobian_by_columns"](f, x), by_hand, rtol=1e-6, atol=1e-8)


def test_06_newton_finds_the_root_that_scipy_finds():
    def f(x):
        return torch.stack([x[0] ** 2 + x[1] ** 2 - 5, torch.exp(x[0]) - 3 * x[1]])

    x = torch.tensor([1.5, 1.5], dtype=F64)
    theirs = scipy.optimize.root(lambda x: f(torch.tensor(x)).numpy(), x.numpy(), tol=1e-12).x
    np.testing.assert_allclose(solutions("06_jacobians")["solve_equations"](f, x, 8).numpy(), theirs, rtol=1e-8)


def test_07_products_and_curvature_are_those_of_the_older_api_and_of_scipy():
    names = solutions("07_hessians")
    A, w, v = draw(6, 5, seed=5), draw(5, seed=6), draw(5, seed=7)

    def f(w):
        return (torch.tanh(A @ w) ** 2).sum()

    theirs = torch.autograd.functional.hvp(f, w, v)[1]
    ours = names["hessian_vector_product"](lambda p: f(p["w"]), {"w": w}, {"w": v})["w"]
    torch.testing.assert_close(ours, theirs)
    operator = scipy.sparse.linalg.LinearOperator(
        (5, 5), matvec=lambda v: torch.autograd.functional.hvp(f, w, torch.tensor(v).flatten())[1].numpy(), dtype=float
    )
    (largest,) = scipy.sparse.linalg.eigsh(operator, k=1, which="LM", return_eigenvectors=False)
    assert names["steepest_curvature"](f, w, v, 500).item() == pytest.approx(largest, rel=1e-6)


def test_07_damped_newton_ends_where_scipy_ends():
    def f(x):
        return (x[0] ** 2 - 1) ** 2 + (x[1] - x[0]) ** 2 + 0.1 * x[1] ** 2

    start = [0.2, 0.5]  # where one direction curves down
    theirs = scipy.optimize.minimize(lambda x: f(torch.tensor(x)).item(), start, tol=1e-12).x
    ours = solutions("07_hessians")["downhill_newton"](f, torch.tensor(start, dtype=F64), 40)
    np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-5)


def test_08_clipped_sum_is_that_of_opacus(network):
    """Opacus's optimizer clips per-sample gradients and sums them; without noise the two agree to its 1e-6."""
    from opacus.optimizers import DPOptimizer

    X, Y = draw(8, 3, seed=8), draw(8, 2, seed=9)
    hooked = GradSampleModule(copy.deepcopy(network), loss_reduction="sum")
    ((hooked(X) - Y) ** 2).sum().backward()
    per_sample = {name: parameter.grad_sample.clone() for name, parameter in hooked.named_parameters()}
    optimizer = DPOptimizer(
        torch.optim.SGD(hooked.parameters(), lr=1.0),
        noise_multiplier=0.0,
        max_grad_norm=0.7,
        expected_batch_size=10,
        loss_reduction="sum",
    )
    optimizer.clip_and_accumulate()
    theirs = {name: parameter.summed_grad / 10 for name, parameter in hooked.named_parameters()}
    ours = solutions("08_private_training")["private_gradient"](per_sample, 0.7, 0.0, 10.0, torch.Generator())
    for name, value in ours.items():
        torch.testing.assert_close(value, theirs[name], rtol=1e-5, atol=1e-6)


def test_08_smallest_noise_is_that_of_opacus():
    from opacus.accountants.utils import get_noise_multiplier

    def epsilon_of(sigma):
        accountant = RDPAccountant()
        accountant.history = [(sigma, 0.1, 100)]
        return accountant.get_epsilon(delta=1e-4)

    ours = solutions("08_private_training")["smallest_noise"](epsilon_of, 2.0)
    theirs = get_noise_multiplier(
        target_epsilon=2.0, target_delta=1e-4, sample_rate=0.1, steps=100, accountant="rdp", epsilon_tolerance=1e-4
    )
    assert ours == pytest.approx(theirs, abs=2e-3)


def test_08_epsilon_without_sampling_is_near_the_gaussian_mechanisms():
    """One step with everybody: the accountant's ε is an upper bound of the exact one of Balle and Wang (2018)."""
    sigma, delta = 2.0, 1e-4
    accountant = RDPAccountant()
    accountant.history = [(sigma, 1.0, 1)]
    bound = accountant.get_epsilon(delta=delta)

    def delta_of(epsilon):
        def phi(t):
            return 0.5 * math.erfc(-t / math.sqrt(2))

        return phi(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * phi(-0.5 / sigma - epsilon * sigma)

    exact = scipy.optimize.brentq(lambda epsilon: delta_of(epsilon) - delta, 0, 20)
    assert exact < bound < 1.3 * exact


def test_09_conjugate_gradient_is_that_of_scipy():
    M = draw(6, 6, seed=10)
    A, b = M @ M.T + torch.eye(6, dtype=F64), draw(6, seed=11)
    theirs, info = scipy.sparse.linalg.cg(A.numpy(), b.numpy(), maxiter=3, rtol=0)
    assert info == 3
    ours = solutions("09_influence")["conjugate_gradient"](lambda v: A @ v, b, 3)
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-8)


def test_09_influence_predicts_what_scikit_learn_finds_by_training_again():
    names = solutions("09_influence")
    X, N, lam = draw(200, 3, seed=12), 200, 0.1
    y = (X @ torch.tensor([1.0, -1.0, 0.5], dtype=F64) + draw(200, seed=13) > 0).double()
    X_test, y_test = X[:20] + 0.1, y[:20]

    def trained(rows):
        # scikit-learn minimises C * sum of losses + ½ ‖w‖². Ours, with N kept when rows go: sum / N + ½ lam ‖w‖².
        model = LogisticRegression(C=1 / (N * lam), fit_intercept=False, tol=1e-12, max_iter=10_000)
        return torch.tensor(model.fit(X[rows].numpy(), y[rows].numpy()).coef_[0])

    def test_loss(w):
        return torch.nn.functional.binary_cross_entropy_with_logits(X_test @ w, y_test)

    w = trained(slice(None))
    predicted = names["influences"](names["logistic_loss"], w, X, y, X_test, y_test, lam)
    for i in predicted.abs().argsort(descending=True)[:5].tolist():
        rest = torch.arange(N) != i
        assert predicted[i].item() == pytest.approx((test_loss(trained(rest)) - test_loss(w)).item(), rel=0.1)
        left_out = ~rest
        moved = names["weights_without"](names["logistic_loss"], w, X, y, lam, left_out) - w
        torch.testing.assert_close(moved, trained(rest) - w, rtol=0.15, atol=1e-4)


def test_10_gauss_newton_is_the_hessian_of_the_linearised_network():
    names = solutions("10_sharpness")
    A, w, v, target = draw(4, 3, seed=14), draw(3, seed=15), draw(3, seed=16), torch.tensor(2)

    def f(w):
        return torch.tanh(A @ w)

    def loss_of_outputs(z):
        return torch.nn.functional.cross_entropy(z, target)

    J = torch.autograd.functional.jacobian(f, w)

    def linearised(u):
        return loss_of_outputs(f(w) + J @ (u - w))

    theirs = torch.autograd.functional.hessian(linearised, w) @ v
    torch.testing.assert_close(names["gauss_newton_product"](f, loss_of_outputs, w, v), theirs)


def test_10_downhill_step_satisfies_armijos_rule_as_scipy_does():
    from scipy.optimize._linesearch import scalar_search_armijo

    names = solutions("10_sharpness")

    def f(w):
        return (w**4).sum() + (w**2).sum()

    w = torch.tensor([1.0, -0.5], dtype=F64)
    d = -(4 * w**3 + 2 * w)
    ours = names["downhill_step"](f, w, d)
    t = ((ours - w) @ d / (d @ d)).item()
    slope = -(d @ d).item()
    assert f(ours).item() <= f(w).item() + 0.1 * t * slope
    theirs, _ = scalar_search_armijo(lambda t: f(w + t * d).item(), f(w).item(), slope, c1=0.1)
    assert f(w + theirs * d) <= f(w) + 0.1 * theirs * slope
    assert f(w + 2 * t * d) > f(w) + 0.1 * 2 * t * slope, "a longer step would have been good enough"


def test_11_meta_gradient_is_that_of_finite_differences():
    names = solutions("11_meta_learning")
    tasks = draw(3, 4, 2, seed=17), draw(3, 4, seed=18), draw(3, 5, 2, seed=19), draw(3, 5, seed=20)
    params = {"w": draw(2, seed=21), "b": draw(seed=22)}

    def loss(params, x, y):
        return (torch.tanh(x @ params["w"]) * params["b"] - y).square().mean()

    gradient, value = names["meta_gradient"](loss, params, tasks, 0.1, 3)
    assert value.item() == pytest.approx(names["meta_loss"](loss, params, tasks, 0.1, 3).item())
    for i, step in enumerate(1e-6 * torch.eye(2, dtype=F64)):
        ahead, behind = ({**params, "w": params["w"] + sign * step} for sign in (1, -1))
        slope = (
            names["meta_loss"](loss, ahead, tasks, 0.1, 3) - names["meta_loss"](loss, behind, tasks, 0.1, 3)
        ) / 2e-6
        assert gradient["w"][i].item() == pytest.approx(slope.item(), rel=1e-5, abs=1e-7)


def test_12_safe_functions_pass_gradcheck():
    names = solutions("12_when_it_breaks")
    x = torch.tensor([0.3, 1.7, -2.2], dtype=F64, requires_grad=True)
    for function in ("huber", "safe_log"):
        assert torch.autograd.gradcheck(torch.vmap(names[function]), (x,))
    assert torch.autograd.gradcheck(names["mean_of_positive"], (x,))
